import type { Request as ExpressRequest, Response as ExpressResponse } from "express";

// these are interfaces, so that editors show their names instead of five type arguments

/** The Express request. */
export interface Request extends ExpressRequest {}

/** The Express response. */
export interface Response extends ExpressResponse {}
