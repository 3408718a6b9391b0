import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";

/** Matches the ids that are accepted from clients and proxies, restricted because ids are logged and sent back. */
const safeId = /^[\w.:-]{1,128}$/;

/** Returns the header field in which a client receives the id. */
export const toIdField = (option: true | { readonly header: string }): string =>
  option === true ? "X-Request-Id" : option.header;

/** Creates the function that sets `request.id` and a response header with the id. */
export const createIdentifier = (
  option: true | { readonly header: string },
): ((request: Request, response: Response) => string) => {
  const name = toIdField(option);
  const field = option === true ? undefined : option.header.toLowerCase();
  return (request, response) => {
    const given = field === undefined ? undefined : request.headers[field];
    const id = typeof given === "string" && safeId.test(given) ? given : randomUUID();
    (request as { id?: unknown }).id = id;
    response.setHeader(name, id);
    return id;
  };
};
