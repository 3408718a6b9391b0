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
  // Node rejects this field if the length is known
  "Trailer",
  "Transfer-Encoding",
];

/**
 * Removes the header fields that a handler has set for a body that is not sent; they do not describe the error sent
 * instead.
 */
export const clearRepresentation = (response: ServerResponse): void => {
  // the reason phrase belongs to another status, and may be the very part that could not be sent
  if (response.statusMessage) response.statusMessage = "";
  for (const field of fields) if (response.hasHeader(field)) response.removeHeader(field);
};
