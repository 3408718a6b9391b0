import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ReplyError } from "sallyport/client";
import { mutationOptions } from "sallyport/tanstack-query";
import { createCheckoutKey, endCheckout } from "./checkout-key.ts";
import { cartQuery, client, refresh } from "./client.ts";
import { Failure } from "./form.tsx";
import { toMoney } from "./format.ts";
import { keepCart } from "./keep-cart.ts";
import { goTo } from "./place.ts";
import { Screen } from "./screen.tsx";

/** What is changed in the cart is changed one after the other, and ordered only then. */
const scope = { id: "cart" };

/** Shows the cart, and orders what is in it. */
export const CartScreen = () => {
  const { data: cart, error } = useQuery(cartQuery);
  const change = useMutation({
    ...mutationOptions(client, "put /v2/cart/items/:bookId"),
    scope,
    onSuccess: keepCart,
  });
  const remove = useMutation({
    ...mutationOptions(client, "delete /v2/cart/items/:bookId"),
    scope,
    onSuccess: (cart) => {
      keepCart(cart);
      // the button that had the focus is gone
      document.querySelector("h1")?.focus();
    },
  });
  const order = useMutation({
    ...mutationOptions(client, "post /v2/orders", {
      idempotency: true,
      headers: () => ({ "idempotency-key": createCheckoutKey() }),
    }),
    scope,
    onSuccess: async ({ id }) => {
      endCheckout();
      goTo(`/orders/${id}`);
      await Promise.all([refresh("/v2/cart"), refresh("/v2/orders"), refresh("/v2/books")]);
    },
    onError: (error) => {
      endCheckout(error);
      return refresh("/v2/cart");
    },
  });
  return (
    <Screen title="Cart">
      <Failure error={toOrderFailure(order.error) ?? change.error ?? remove.error ?? error} />
      {cart?.items.length === 0 && (
        <p>
          The cart is empty. <a href="#/">Look for books</a>
        </p>
      )}
      {cart && cart.items.length > 0 && (
        <section>
          <table className="items">
            <caption className="hidden">Books in the cart</caption>
            <thead>
              <tr>
                <th scope="col">Book</th>
                <th scope="col">Price</th>
                <th scope="col">Quantity</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {cart.items.map(({ bookId, title, price, quantity, stock }) => (
                <tr key={bookId}>
                  <th scope="row">
                    <a href={`#/books/${bookId}`}>{title}</a>
                    {stock < quantity && <p className="error">Only {stock} in stock</p>}
                  </th>
                  <td>{toMoney(price)}</td>
                  <td>
                    <QuantityInput
                      quantity={quantity}
                      label={`Quantity of ${title}`}
                      onChange={(quantity) => change.mutate({ bookId, quantity })}
                    />
                  </td>
                  <td>
                    <button
                      aria-label={`Remove ${title}`}
                      onClick={() => remove.mutate({ bookId })}
                    >
                      Remove
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">Total</th>
                <td colSpan={3} className="price">
                  {toMoney(cart.total)}
                </td>
              </tr>
            </tfoot>
          </table>
          <button
            className="primary"
            aria-disabled={order.isPending}
            onClick={() => order.isPending || order.mutate({ total: cart.total })}
          >
            Order and pay {toMoney(cart.total)}
          </button>
        </section>
      )}
    </Screen>
  );
};

/** An order may have been placed although no reply has come. */
const toOrderFailure = (error: Error | null): Error | null =>
  error === null || error instanceof ReplyError
    ? error
    : new Error(
        "No answer has come. Order again, or look at your orders: nothing is ordered twice.",
      );

interface QuantityProps {
  readonly quantity: number;
  readonly label: string;
  readonly onChange: (quantity: number) => void;
}

const QuantityInput = ({ quantity, label, onChange }: QuantityProps) => {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { current } = input;
    // what someone is typing stays
    if (current && current !== document.activeElement) current.value = String(quantity);
  }, [quantity]);
  return (
    <input
      ref={input}
      type="number"
      aria-label={label}
      min={1}
      max={100}
      defaultValue={quantity}
      onChange={({ target: { validity, valueAsNumber } }) => {
        if (validity.valid && valueAsNumber >= 1) onChange(valueAsNumber);
      }}
    />
  );
};
