import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";

/** Checks whether a stream is piped to a response: `pipe` adds a listener for `unpipe`. */
export const isPiped = (response: ServerResponse): boolean => response.listenerCount("unpipe") > 0;

/** Closes the stream that feeds a response when the client leaves, as `pipe` does not, or if the method is HEAD. */
export const watchFeeding = (response: ServerResponse): void => {
  if (!isPiped(response)) return;
  if (response.req.method === "HEAD" && !response.writableEnded) {
    response.once("unpipe", (source: Readable) => stopSource(response, source));
    // on the user's own application, the source may write before it is stopped
    response.once("error", () => undefined);
    response.end();
    return;
  }
  response.on("unpipe", (source: Readable) => {
    // a handler may unpipe the stream in order to pipe another one
    if (response.destroyed && !response.writableEnded) source.destroy();
  });
};

/** Stops a stream that nothing reads any longer; the rest of a request is read, because other requests may follow. */
export const stopSource = (response: ServerResponse, source: Readable): void => {
  if (source === (response.req as unknown)) source.resume();
  else source.destroy();
};

/** Closes the connection in the middle of a response, after the data that was written. */
export const cutOff = (response: ServerResponse): void => {
  // Node holds written data until the next tick: in the socket before version 26, in the response as of version 26
  while (response.writableCorked > 0) response.uncork();
  response.socket?.uncork();
  response.destroy();
};

/** Returns the connection of a response; stream utilities that destroy a request, such as `pipeline`, detach it. */
export const findSocket = (response: ServerResponse): Socket | undefined =>
  response.socket ?? (response.req as Partial<IncomingMessage> | undefined)?.socket ?? undefined;

/** The header fields that describe a body. */
const representationFields: ReadonlySet<string> = new Set([
  ...["content-disposition", "content-encoding", "content-language", "content-length"],
  ...["content-range", "content-type", "etag", "last-modified", "trailer", "transfer-encoding"],
]);

/** Removes the header fields of a body in whose place an error is sent. */
export const clearRepresentation = (response: ServerResponse): void => {
  // the reason phrase belongs to another status, and may be the very part that could not be sent
  if (response.statusMessage) response.statusMessage = "";
  for (const name of response.getHeaderNames())
    if (representationFields.has(name)) response.removeHeader(name);
};
