import type { Request as ExpressRequest, Response as ExpressResponse } from "express";

export type { ExpressRequest };

// these are interfaces, so that editors show their names instead of five type arguments

/** The Express request, with its id. */
export interface Request extends IdentifiedRequest {}

/** The Express response. */
export interface Response extends ExpressResponse {}

/** What the application's own types declare as `id`, as those of pino-http do, is kept. */
type IdentifiedRequest = "id" extends keyof ExpressRequest
  ? ExpressRequest
  : ExpressRequest & {
      /** The id that the `requestId` option assigns; undefined if the option is off. */
      readonly id?: string | undefined;
    };
