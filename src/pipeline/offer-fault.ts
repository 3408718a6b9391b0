import type { Request, Response } from "express";

/**
 * The property of a response that holds the function for offering a fault to the error handlers of the Express
 * application.
 */
export const offerMark: unique symbol = Symbol.for("sallyport/offer-fault");

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
export const offerFault: OfferFault = (error, request, response) => {
  const offering = response as { [offerMark]?: OfferFault | undefined };
  const offer = offering[offerMark];
  if (!offer) return undefined;
  offering[offerMark] = undefined;
  return offer(error, request, response);
};

/** Prevents a fault that has passed the error handlers from being offered to them again. */
export const skipOffer = (response: Response): void => {
  (response as { [offerMark]?: OfferFault | undefined })[offerMark] = undefined;
};
