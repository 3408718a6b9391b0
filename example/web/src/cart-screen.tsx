import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ReplyError } from "sallyport/client";
import { mutationOptions } from "sallyport/tanstack-query";
import { createCheckoutKey, endCheckout } from "./checkout-key.ts";
import { cartQuery, client, refresh, type Cart } from "./client.ts";
import { Failure, useShown } from "./form.tsx";
import { toMoney } from "./format.ts";
import { keepCart, toMost } from "./keep-cart.ts";
import { goTo } from "./place.ts";
import { focusHeading, Loading, Screen } from "./screen.tsx";

/** What is changed in the cart is changed one after the other, and ordered only then. */
const scope = { id: "cart" };

/** Shows the cart, and orders what is in it. */
export default function CartScreen() {
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
      focusHeading();
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
  const place = (total: number) => {
    const wrong = document.querySelector<HTMLElement>('[aria-invalid="true"]');
    // what the inputs show is what would have to be ordered
    if (wrong) wrong.focus();
    else if (!order.isPending) order.mutate({ total });
  };
  return (
    <Screen title="Cart">
      <Failure error={toOrderFailure(order.error) ?? change.error ?? remove.error ?? error} />
      {!cart && !error && <Loading />}
      {cart?.items.length === 0 && (
        <p>
          The cart is empty. <a href="#/">Look for books</a>
        </p>
      )}
      {cart && cart.items.length > 0 && (
        <section>
          <table className="items cart">
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
              {cart.items.map((item) => (
                <CartRow
                  key={item.bookId}
                  item={item}
                  onChange={(quantity) => change.mutate({ bookId: item.bookId, quantity })}
                  onRemove={() => remove.mutate({ bookId: item.bookId })}
                />
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
            onClick={() => place(cart.total)}
          >
            Order and pay {toMoney(cart.total)}
          </button>
        </section>
      )}
    </Screen>
  );
}

/** An order may have been placed although no reply has come. */
const toOrderFailure = (error: Error | null): Error | null =>
  error === null || error instanceof ReplyError
    ? error
    : new Error(
        "No answer has come. Order again, or look at your orders: nothing is ordered twice.",
      );

interface RowProps {
  readonly item: Cart["items"][number];
  readonly onChange: (quantity: number) => void;
  readonly onRemove: () => void;
}

const CartRow = ({ item, onChange, onRemove }: RowProps) => {
  const { bookId, title, price, quantity, stock } = item;
  const id = useId();
  const input = useShown(quantity);
  /** What someone has typed that cannot be ordered. */
  const [isWrong, setWrong] = useState(false);
  const most = toMost(stock);
  const problem = toProblem(isWrong, quantity, stock);
  return (
    <tr>
      <th scope="row">
        <a href={`#/books/${bookId}`}>{title}</a>
        {problem !== undefined && (
          <p className="error" id={id} role="alert">
            {problem}
          </p>
        )}
      </th>
      <td>{toMoney(price)}</td>
      <td>
        <input
          ref={input}
          type="number"
          required
          aria-label={`Quantity of ${title}`}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : id}
          min={1}
          max={most}
          defaultValue={quantity}
          onChange={({ target: { validity, valueAsNumber } }) => {
            setWrong(!validity.valid);
            if (validity.valid) onChange(valueAsNumber);
          }}
        />
      </td>
      <td>
        <button aria-label={`Remove ${title}`} onClick={onRemove}>
          Remove
        </button>
      </td>
    </tr>
  );
};

const toProblem = (isWrong: boolean, quantity: number, stock: number): string | undefined => {
  if (stock === 0) return "Sold out: remove it to order the rest";
  if (isWrong) return `Enter a whole number from 1 to ${toMost(stock)}`;
  return stock < quantity ? `Only ${stock} in stock` : undefined;
};
