import type { Request as ExpressRequest, Response as ExpressResponse } from "express";

// interfaces, so that editors show these names and not five type arguments

/** The request as Express knows it. */
export interface Request extends ExpressRequest {}

/** The response as Express knows it. */
export interface Response extends ExpressResponse {}
