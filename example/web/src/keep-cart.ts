import { endCheckout } from "./checkout-key.ts";
import { cartQuery, queryClient, type Cart } from "./client.ts";

/** Displays the cart that a change has led to; what is ordered then is another order. */
export const keepCart = (cart: Cart): void => {
  queryClient.setQueryData(cartQuery.queryKey, cart);
  endCheckout();
};

/** How often a book can be in the cart. */
export const toMost = (stock: number): number => Math.min(stock, 100);
