import type { BodyKind, Call } from "./call-options.ts";
import { toNetworkError } from "./send-request.ts";

/** A reply as received. */
export interface Reply {
  /** Whether the response is successful. */
  readonly ok: boolean;
  /** The status; `unexpected` if the API does not declare the reply. */
  readonly status: number | "unexpected";
  /** The status of an unexpected reply. */
  readonly actualStatus?: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** The response itself; its body has been read. */
  readonly response: Response;
  /** Whether the body is one that the API does not declare for this status. */
  readonly isForeign: boolean;
}

/** Returns how to read a body of a media type. */
export const readKind = (type: string): BodyKind => {
  if (/[/+]json$/.test(type)) return "json";
  return /^text\/|[/+]xml$/.test(type) ? "text" : "blob";
};

/**
 * Reads a response to its end.
 *
 * @throws {@link NetworkError} when the response breaks off.
 */
export const readReply = async (call: Call, response: Response): Promise<Reply> => {
  const { status, headers } = response;
  const [first = ""] = (headers.get("content-type") ?? "").split(";");
  const type = first.trim().toLowerCase();
  let kind = readKind(type);
  let body: unknown = await toNetworkError(call, async () =>
    kind === "blob" && type !== "" ? response.blob() : response.text(),
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
  const isForeign = !isPromised(call, status, kind, type);
  const declared = call.plan?.replies?.[status];
  if (!isForeign) body = call.plan?.revive?.[status]?.(body) ?? body;
  const isExpected = !isForeign && (call.plan?.replies ? declared !== undefined : status >= 200);
  const reply = { ok: response.ok, status, headers, body, response, isForeign };
  return isExpected ? reply : { ...reply, ok: false, status: "unexpected", actualStatus: status };
};

/** Checks whether the API declares a body of this kind and media type for the status. */
const isPromised = (call: Call, status: number, kind: BodyKind, type: string): boolean => {
  const declared = call.plan?.replies?.[status];
  if (declared) return declared.includes(kind);
  if (kind === "json" || status === 204) return true;
  const isListed = (call.client.mediaTypes ?? []).some((one) =>
    one.endsWith("/*") ? type.startsWith(one.slice(0, -1)) : type === one,
  );
  const isSuccess = status >= 200 && status < 300 && !call.plan?.replies;
  // JSON that cannot be parsed has become a string by now
  return isListed || (isSuccess && type !== "text/html" && readKind(type) !== "json");
};
