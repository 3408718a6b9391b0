import type { ServerResponse } from "node:http";

const fields = [
  "Content-Disposition",
  "Content-Encoding",
  "Content-Language",
  "Content-Length",
  "Content-Range",
  "Content-Type",
  "ETag",
  "Last-Modified",
  // Node refuses it where the length is known
  "Trailer",
  "Transfer-Encoding",
];

/** Forgets what a handler has said of a body that is not sent: it would be untrue of the error that is sent instead. */
export const clearRepresentation = (response: ServerResponse): void => {
  // a reason phrase is that of another status, and may be what could not be sent
  if (response.statusMessage) response.statusMessage = "";
  for (const field of fields) if (response.hasHeader(field)) response.removeHeader(field);
};
