import type { Response } from "express";
import { readFields } from "../http/header-fields.ts";
import { hasOtherInnerMethod } from "../http/node-internals.ts";
import { writeHead } from "../http/reply-head.ts";

const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** Checks whether any of the header fields that Express reads is set; most responses have none of them. */
const isDescribed = (response: Response): boolean => {
  const fields = readFields(response);
  if (fields === null) return false;
  if (fields !== undefined) return descriptions.some((name) => fields[name] !== undefined);
  return (
    response.getHeaderNames().length > 0 && descriptions.some((one) => response.hasHeader(one))
  );
};

const descriptions = ["content-type", "etag", "last-modified", "transfer-encoding"] as const;

/** The settings of the Express application that concern responses. */
export type AppSettings = Readonly<Record<string | symbol, unknown>>;

/** The property of a response that holds the settings of its application, so that Express need not be loaded. */
export const appSettings: unique symbol = Symbol.for("sallyport/app-settings");

/**
 * Sends a body as JSON, with the same bytes and headers as Express' `response.json`.
 *
 * Head and body are written together, which saves 6 microseconds over `response.json`. `response.json` itself is used
 * if the application enables ETags or configures how JSON is formatted, if the response is watched or already has
 * validators or a Content-Type, and for statuses without a body.
 *
 * @throws TypeError when the body cannot be serialised; in that case, nothing is sent.
 */
export const sendJson = (
  response: Response,
  status: number,
  body: unknown,
  type = "application/json; charset=utf-8",
): void => {
  const settings = toSettings(response);
  const isUntouched = settings[untouched] === true;
  if (
    (!isUntouched && (isFormatted(settings) || hasOwnSender(response))) ||
    hasNoBody(status) ||
    isWatched(response, isUntouched) ||
    isDescribed(response)
  ) {
    if (!response.hasHeader("Content-Type")) response.setHeader("Content-Type", type);
    response.status(status).json(body);
    return;
  }
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  writeHead(response, status, type, length);
  (response as { [sentFields]?: SentFields })[sentFields] = {
    "Content-Type": type,
    "Content-Length": length,
  };
  // for ASCII strings, both encodings give the same bytes, and `latin1` costs Node less
  response.end(text, length === text.length ? "latin1" : "utf8");
};

/**
 * The property that marks application settings that no code has accessed: Express is not loaded, so no part of it can
 * have been replaced.
 */
export const untouched: unique symbol = Symbol.for("sallyport/untouched");

const isFormatted = (settings: AppSettings): boolean =>
  Boolean(
    settings["etag fn"] ||
    settings["json escape"] ||
    settings["json replacer"] ||
    settings["json spaces"],
  );

/** Checks whether a response has its own `json` or `send`; reading these from the prototype would load Express. */
const hasOwnSender = (response: Response): boolean =>
  Object.hasOwn(response, "json") || Object.hasOwn(response, "send");

/** The property of a response that holds the header fields that were sent without `setHeader`. */
export const sentFields: unique symbol = Symbol.for("sallyport/sent-fields");

/** Header fields by name. */
export type SentFields = Readonly<Record<string, string | number>>;

/**
 * The property of a response that says whether other code may watch it: true if hooks may, `"native"` if only native
 * middlewares may.
 */
export const watchedMark: unique symbol = Symbol.for("sallyport/watched");

/** The property of a response that says whether a tool has replaced methods of all responses. */
export const patchedMark: unique symbol = Symbol.for("sallyport/patched");

/** A response that other code may watch. */
export type WatchedResponse = Response & {
  [watchedMark]?: boolean | "native";
  readonly [patchedMark]?: boolean;
};

/**
 * Checks whether other code may observe how a response is sent, because it has received the request or replaced a
 * method.
 */
const isWatched = (response: WatchedResponse, isUntouched: boolean): boolean => {
  const mark = response[watchedMark];
  const own = Object.getPrototypeOf(response) as Response;
  if (mark === "native") {
    if (!isUntouched || hasOwnMethod(response, own)) return true;
  } else if (mark !== false) return true;
  if (response[patchedMark] === true) return true;
  return (
    response.end !== own.end ||
    response.writeHead !== own.writeHead ||
    response.setHeader !== own.setHeader ||
    response.write !== own.write
  );
};

/** Checks whether a native middleware has given a response methods of its own, or another prototype. */
const hasOwnMethod = (response: Response, own: Response): boolean =>
  !Object.hasOwn(own, appSettings) ||
  expressMethods.some((name) => Object.hasOwn(response, name)) ||
  // comparing methods costs a tenth of looking up own properties
  response.getHeader !== own.getHeader ||
  response.getHeaderNames !== own.getHeaderNames ||
  response.hasHeader !== own.hasHeader ||
  response.removeHeader !== own.removeHeader ||
  response.flushHeaders !== own.flushHeaders ||
  response.emit !== own.emit ||
  response.cork !== own.cork ||
  response.uncork !== own.uncork ||
  response.destroy !== own.destroy ||
  hasOtherInnerMethod(response, own);

/** Express' methods that `response.json` calls; reading them from the prototype would load Express. */
const expressMethods = ["json", "send", "status", "set", "header", "get", "type"] as const;

const toSettings = (response: Response & { readonly [appSettings]?: AppSettings }): AppSettings =>
  response[appSettings] ?? (response.app as unknown as { settings: AppSettings }).settings;
