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
  const { status, headers } = response;
  const [first = ""] = (headers.get("content-type") ?? "").split(";");
  const type = first.trim().toLowerCase();
  const replies = call.plan?.replies;
  const declared = replies?.[status];
  const isBlob = headers.has("x-content-as") || String(declared) === "blob";
  let kind = isBlob ? "blob" : readKind(type);
  let body: unknown = await toNetworkError(call, async () =>
    isBlob || (kind === "blob" && type !== "") ? response.blob() : response.text(),
  );
  if (body === "" && kind !== "text") {
    kind = "none";
    body = undefined;
  } else if (kind === "json") {
    try {
      body = JSON.parse(body as string);
    } catch {
      kind = "text";
    }
  }
  const isForeign = declared
    ? !declared.includes(kind)
    : !isBlob && !isUsual(call, response, kind, type);
  if (!isForeign) body = call.plan?.revive?.[status]?.(body) ?? body;
  const isExpected = !isForeign && (declared || !replies);
  const reply = { ok: response.ok, status, headers, body, response, isForeign };
  return isExpected ? reply : { ...reply, ok: false, status: "unexpected", actualStatus: status };
};

/** Checks whether an API sends a body of this kind and media type with a status that it does not declare. */
const isUsual = (
  { client, plan }: Call,
  { status, ok }: Response,
  kind: BodyKind,
  type: string,
): boolean => {
  if (kind === "json" || status === 204 || status === 205) return true;
  const isListed = (client.mediaTypes ?? []).some((one) =>
    one.endsWith("/*") ? type.startsWith(one.slice(0, -1)) : type === one,
  );
  // JSON that cannot be parsed has become a string by now
  return isListed || (ok && !plan?.replies && type !== "text/html" && readKind(type) !== "json");
};
