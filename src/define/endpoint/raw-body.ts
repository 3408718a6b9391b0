import type { Request } from "express";

type RequestWithBytes = Request & { rawBody?: Buffer };

export const keepRawBody = (request: Request, bytes: Buffer): void => {
  (request as RequestWithBytes).rawBody = bytes;
};

/**
 * Returns the raw bytes of a JSON or form body, for example to verify a signature.
 *
 * @returns undefined unless the endpoint is built with `keepRawBody: true` and the request has a body
 * @example
 * const isGenuine = verify(getRawBody(request) ?? Buffer.alloc(0), request.get("x-signature"));
 */
export const getRawBody = (request: Request): Buffer | undefined =>
  (request as RequestWithBytes).rawBody;
