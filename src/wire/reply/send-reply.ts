import { isUint8Array } from "node:util/types";
import type { Response } from "express";
import { ServerFault } from "../../basics/errors.ts";
import { clearRepresentation } from "../exchange/node-response.ts";
import { show } from "../../basics/messages/show.ts";
import type { StreamContent } from "../../basics/schemas/content.ts";
import { sendJson } from "./send-json.ts";

/** The default media type of a body. */
export const json = "application/json";

/** A response as a value: what the `reply` of a result handler returns. */
export interface Reply<Body = unknown> {
  /**
   * The status.
   *
   * @default the status of the error; for an output, the success status that the endpoint or its handler has set, or 200
   */
  readonly status?: number | undefined;
  /**
   * Header fields by name, in addition to those that the response has; an array sends one field several times.
   *
   * @default the declared media type as `Content-Type`
   */
  readonly headers?:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | Iterable<readonly [name: string, value: string]>
    | undefined;
  /**
   * The body. Bytes and streams are sent as they are; anything else is sent as JSON if the media type is one of JSON,
   * and must otherwise be a string. Without a body, the response has none.
   */
  readonly body?: Body | Uint8Array | StreamContent | undefined;
}

/**
 * Sends a reply; returns a promise only for a stream.
 *
 * @param reply with `json` in place of `body` for what is JSON whatever it is
 * @param type the declared media type, unless the reply has one of its own
 * @throws TypeError when JSON cannot represent the body; in that case, nothing is sent.
 */
export const sendReply = (
  response: Response,
  status: number,
  reply: Reply & { readonly json?: unknown },
  type = json,
): Promise<void> | undefined => {
  // the representation is the one that the client knows
  if (status === 304) clearRepresentation(response);
  let own = type;
  if (reply.headers)
    for (const [name, value] of listFields(reply.headers))
      if (name.toLowerCase() === "content-type") own = String(value);
      else response.setHeader(name, value);
  if ("json" in reply) {
    sendJson(response, status, reply.json, own === json ? undefined : withCharset(own));
    return undefined;
  }
  const { body } = reply;
  if (body === undefined) return sendNothing(response, status);
  if (isUint8Array(body)) return sendText(response, status, body, own);
  if (isStream(body)) return sendStream(response, status, body, own);
  if (isJson.test(own)) sendJson(response, status, body, withCharset(own));
  else if (typeof body === "string") sendText(response, status, body, withCharset(own));
  else
    throw new ServerFault(
      "SLP_REPLY",
      `The body of a reply with the media type ${own} must be a string, bytes or a stream; it is ${show(body)}`,
    );
  return undefined;
};

/** Lists the header fields of a reply that have a value. */
export const listFields = (
  headers: Reply["headers"] = {},
): readonly (readonly [name: string, value: string | readonly string[]])[] => {
  if (Symbol.iterator in headers) return [...headers];
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
};

const isJson = /[/+]json(?![\w.+-])/i;

const withCharset = (type: string): string =>
  type.includes("charset") ? type : `${type}; charset=utf-8`;

const sendNothing = (response: Response, status: number): undefined => {
  response.statusCode = status;
  if (status >= 200 && status !== 204 && status !== 304) response.setHeader("Content-Length", 0);
  response.end();
};

const sendText = (
  response: Response,
  status: number,
  body: string | Uint8Array,
  type: string,
): undefined => {
  response.setHeader("Content-Type", type);
  if (status < 400) {
    // Express adds an ETag if that is configured, and compares it
    response.status(status).send(body);
    return;
  }
  response.writeHead(status, { "Content-Length": Buffer.byteLength(body) });
  response.end(body);
};

const isStream = (body: unknown): body is StreamContent =>
  typeof body === "object" &&
  body !== null &&
  (Symbol.asyncIterator in body || "getReader" in body || body instanceof Blob);

const sendStream = async (
  response: Response,
  status: number,
  body: StreamContent,
  type: string,
): Promise<void> => {
  const { writeStream } = await import("./write-content.ts");
  response.statusCode = status;
  response.setHeader("Content-Type", type.startsWith("text/") ? withCharset(type) : type);
  await writeStream(response, body);
};
