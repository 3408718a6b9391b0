import type { Request as ExpressRequest, Response as ExpressResponse } from "express";

// interfaces, so that editors show these names instead of five type arguments

/** The Express request. */
export interface Request extends ExpressRequest {}

/** The Express response. */
export interface Response extends ExpressResponse {}
