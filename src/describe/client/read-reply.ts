import type { BodyKind, Call } from "./call-options.ts";
import type { ReplyBase } from "./reply-types.ts";
import { toNetworkError } from "./send-request.ts";

/** A reply of any kind, before its type is known. */
export interface Reply extends ReplyBase {
  readonly ok: boolean;
  readonly status: number | "unexpected";
  readonly actualStatus?: number;
  readonly body: unknown;
  /** Whether the body is one that the API does not declare for this status. */
  readonly isForeign: boolean;
}

export const readKind = (type: string): BodyKind => {
  if (/[/+]json$/.test(type)) return "json";
  return /^text\/|[/+]xml$/.test(type) ? "text" : "blob";
};

/** @throws {@link NetworkError} when the response breaks off. */
export const readReply = async (call: Call, response: Response): Promise<Reply> => {
  const { client, plan } = call;
  const { status, headers, ok } = response;
  // two proxies may have added the same type
  const [type = ""] = (headers.get("content-type") ?? "").toLowerCase().split(/[\s,;]/);
  const replies = plan?.replies;
  const declared = replies?.[status];
  const isBlob = headers.has("x-content-as") || String(declared) === "blob";
  let kind = isBlob ? "blob" : readKind(type);
  let body: unknown = await toNetworkError(call, async () =>
    isBlob || (kind === "blob" && type !== "") ? response.blob() : response.text(),
  );
  if (typeof body === "string" && kind !== "text")
    // JSON, or a body whose type a proxy has dropped
    try {
      kind = body ? "json" : "none";
      body = body ? JSON.parse(body) : undefined;
    } catch {
      kind = "text";
    }
  const isListed = client.mediaTypes?.some((one) =>
    one.endsWith("/*") ? type.startsWith(one.slice(0, -1)) : type === one,
  );
  const isForeign = !(declared
    ? declared.includes(kind)
    : isBlob ||
      kind === "json" ||
      isListed ||
      // JSON that cannot be parsed has become a string by now
      (ok && !replies && (status === 204 || status === 205 || !/[/+](json|html)$/.test(type))));
  const reply = { ok, status, headers, body, response, isForeign };
  return !isForeign && (declared || !replies)
    ? reply
    : { ...reply, ok: false, status: "unexpected", actualStatus: status };
};
