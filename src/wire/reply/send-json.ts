import { Buffer } from "node:buffer";
import type { Response } from "express";
import { type Exchange, requestState } from "../exchange/exchange.ts";
import { ServerFault } from "../../basics/errors.ts";
import { show } from "../../basics/messages/show.ts";
import type { AppFacts } from "../exchange/ways.ts";

/**
 * Sends a body as JSON, with the same bytes and headers as Express' `response.json`, but head and body at once, which
 * saves 6 microseconds. `response.json` is used if JSON or ETags are configured, if the response is watched or
 * described by header fields, and for statuses without a body.
 *
 * @throws TypeError, or {@link ServerFault}, when the body cannot be serialised; in that case, nothing is sent.
 */
export const sendJson = (
  response: Response,
  status: number,
  body: unknown,
  type = "application/json; charset=utf-8",
): void => {
  const state = (response as { readonly [requestState]?: Exchange })[requestState];
  const app = state?.app;
  if (!app || hasNoBody.has(status) || isWatched(response, state, app)) {
    sendByExpress(response, status, body, type);
    return;
  }
  const names = response.getHeaderNames();
  if (names.some((name) => descriptions.has(name) && !isIgnored(name, response))) {
    sendByExpress(response, status, body, type);
    return;
  }
  const text = JSON.stringify(body) as string | undefined;
  if (text === undefined)
    throw new ServerFault("SLP_REPLY", `The body of a reply has no form in JSON: ${show(body)}`);
  const length = text.length <= maxScratched ? scratch.write(text) : Buffer.byteLength(text);
  app.ways.writeHead(response, status, type, length, names.length === 0);
  // the length is right, and Node would look up header fields to check it
  response.strictContentLength = false;
  state.sentFields = { "Content-Type": type, "Content-Length": length };
  if (response.req.method === "HEAD") response.end();
  // for ASCII strings, both encodings give the same bytes, and `latin1` costs Node less
  else response.end(text, length === text.length ? "latin1" : "utf8");
};

/** Bytes are counted by writing them here, which takes a third of the instructions of `Buffer.byteLength`. */
const maxScratched = 16_384;
const scratch = Buffer.allocUnsafeSlow(3 * maxScratched);

/** The statuses of responses that have no body. */
const hasNoBody: ReadonlySet<number> = new Set([204, 205, 304]);

const sendByExpress = (response: Response, status: number, body: unknown, type: string): void => {
  if (!response.hasHeader("Content-Type")) response.setHeader("Content-Type", type);
  response.status(status).json(body);
};

/** Checks whether Express would ignore a validator, because the request names none to compare it with. */
const isIgnored = (name: string, { req: { headers } }: Response): boolean =>
  (name === "etag" || name === "last-modified") &&
  headers["if-none-match"] === undefined &&
  headers["if-modified-since"] === undefined;

/** The header fields that Express reads; most responses have none of them. */
const descriptions: ReadonlySet<string> = new Set([
  ...["content-type", "etag", "last-modified", "transfer-encoding"],
]);

/** Checks whether Express has settings for JSON, or a tool has replaced a method with which the response is sent. */
const isWatched = (response: Response, { isShared }: Exchange, app: AppFacts): boolean => {
  if (app.isPatched()) return true;
  const own = Object.getPrototypeOf(response) as Response;
  if (!app.isPristine) {
    for (const name of jsonSettings) if (app.settings[name]) return true;
    if (Object.hasOwn(response, "json") || Object.hasOwn(response, "send")) return true;
  }
  return (
    (isShared && hasOwnMethod(response, own)) ||
    response.end !== own.end ||
    response.writeHead !== own.writeHead ||
    response.setHeader !== own.setHeader ||
    response.write !== own.write
  );
};

const jsonSettings = ["etag fn", "json escape", "json replacer", "json spaces"];

/** Checks whether a native middleware has given a response methods of its own, or another prototype. */
const hasOwnMethod = (response: Response, own: Response): boolean =>
  !Object.hasOwn(own, "locals") ||
  // reading Express' methods from the prototype would load Express
  Object.hasOwn(response, "json") ||
  Object.hasOwn(response, "send") ||
  Object.hasOwn(response, "status") ||
  Object.hasOwn(response, "set") ||
  Object.hasOwn(response, "header") ||
  Object.hasOwn(response, "get") ||
  Object.hasOwn(response, "type") ||
  // one by one, because reading a property by a name that differs costs much more
  response.getHeader !== own.getHeader ||
  response.getHeaderNames !== own.getHeaderNames ||
  response.hasHeader !== own.hasHeader ||
  response.removeHeader !== own.removeHeader ||
  response.flushHeaders !== own.flushHeaders ||
  response.emit !== own.emit ||
  response.cork !== own.cork ||
  response.uncork !== own.uncork ||
  response.destroy !== own.destroy;
