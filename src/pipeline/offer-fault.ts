import type { Request, Response } from "express";
import type { RequestState } from "./request-state.ts";

/** The result of offering a fault if an error handler has sent the response. */
export const answered: unique symbol = Symbol("answered");

/**
 * Offers a fault to error handlers.
 *
 * @returns the fault that remains, or `answered`; undefined if there is no error handler
 */
export type OfferFault = (
  error: Error,
  request: Request,
  response: Response,
) => Promise<unknown> | undefined;

/** Offers a fault to the error handlers of the application, once. */
export const offerFault = (state: RequestState, error: Error): ReturnType<OfferFault> => {
  if (!state.mayOfferFault) return undefined;
  state.mayOfferFault = false;
  return state.service.offerFault?.(error, state.request, state.response);
};
