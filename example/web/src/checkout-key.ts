import { ReplyError } from "sallyport/client";
import { createKey } from "./create-key.ts";

const name = "checkout";

/**
 * Returns the idempotency key of the order that is being placed. It stays the same until the API has answered or the cart
 * has changed, so that a second attempt, even after a reload, cannot order twice.
 */
export const createCheckoutKey = (): string => {
  const kept = sessionStorage.getItem(name);
  if (kept !== null) return kept;
  const key = createKey();
  sessionStorage.setItem(name, key);
  return key;
};

/** Forgets the key, unless the order may have been placed although the call has failed. */
export const endCheckout = (error?: unknown): void => {
  const isUnknown = error !== undefined && !(error instanceof ReplyError && error.status < 500);
  if (!isUnknown) sessionStorage.removeItem(name);
};
