import type { Request, Response } from "express";

/** Where a response has what offers a fault to the error handlers of its Express application. */
export const offerMark: unique symbol = Symbol.for("sallyport/offer-fault");

/** Says that an error handler has answered. */
export const answered: unique symbol = Symbol("answered");

/**
 * Offers a fault to error handlers.
 *
 * @returns what is left to answer, or `answered`; undefined where there is no error handler
 */
export type OfferFault = (
  error: Error,
  request: Request,
  response: Response,
) => Promise<unknown> | undefined;

/** Offers a fault to the error handlers of the application, once. */
export const offerFault: OfferFault = (error, request, response) => {
  const offering = response as { [offerMark]?: OfferFault | undefined };
  const offer = offering[offerMark];
  if (!offer) return undefined;
  offering[offerMark] = undefined;
  return offer(error, request, response);
};

/** Keeps a fault that has passed the error handlers already from being offered to them again. */
export const skipOffer = (response: Response): void => {
  (response as { [offerMark]?: OfferFault | undefined })[offerMark] = undefined;
};
