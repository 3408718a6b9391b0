import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { client, hasStatus, refresh, toServerTime, type Order } from "./client.ts";
import { Failure } from "./form.tsx";
import { toDate, toMoney, toOrderName, toStatusWords } from "./format.ts";
import { focusHeading, Loading, NotFoundScreen, Screen } from "./screen.tsx";
import { isMissing } from "./words.ts";

/** Shows an order, whose status follows the events. */
export default function OrderScreen({ id }: { readonly id: string }) {
  const { data: order, error } = useQuery(queryOptions(client, "get /v2/orders/:id", { id }));
  if (isMissing(error)) return <NotFoundScreen />;
  return (
    <Screen title={toOrderName(id)}>
      <Failure error={error} />
      {!order && !error && <Loading />}
      {order && (
        <section>
          <p className="head">
            <span className={`status ${order.status}`}>{toStatusWords(order.status)}</span>
            <time dateTime={order.createdAt}>{toDate(order.createdAt)}</time>
          </p>
          <table className="items">
            <caption className="hidden">Books in the order</caption>
            <thead>
              <tr>
                <th scope="col">Book</th>
                <th scope="col">Price</th>
                <th scope="col">Quantity</th>
              </tr>
            </thead>
            <tbody>
              {order.items.map(({ bookId, title, price, quantity }) => (
                <tr key={bookId}>
                  <th scope="row">
                    <a href={`#/books/${bookId}`}>{title}</a>
                  </th>
                  <td>{toMoney(price)}</td>
                  <td>{quantity}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">Total</th>
                <td colSpan={2} className="price">
                  {toMoney(order.total)}
                </td>
              </tr>
            </tfoot>
          </table>
          {order.status === "placed" && <CancelButton order={order} />}
        </section>
      )}
    </Screen>
  );
}

/** Returns how many seconds are left until a time, and counts them down. */
const useSecondsUntil = (time: string): number => {
  const end = Date.parse(time);
  const read = () => Math.max(0, Math.ceil((end - toServerTime()) / 1000));
  const [seconds, setSeconds] = useState(read);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(read), 250);
    return () => clearInterval(timer);
  }, [end]);
  return seconds;
};

/** Cancels an order for as long as its payment has not been asked for. */
const CancelButton = ({ order: { id, version, cancelUntil } }: { readonly order: Order }) => {
  const seconds = useSecondsUntil(cancelUntil);
  const { mutate, error, isPending } = useMutation({
    ...mutationOptions(client, "patch /v2/orders/:id", {
      headers: { "if-match": `"${version}"` },
    }),
    onSuccess: focusHeading,
    onSettled: () => Promise.all([refresh("/v2/orders"), refresh("/v2/books")]),
  });
  if (seconds === 0) return <p>The payment is being taken, so the order is final.</p>;
  return (
    <>
      <p>
        Payment begins in {seconds} {seconds === 1 ? "second" : "seconds"}. Until then, you can
        cancel.
      </p>
      <button
        aria-disabled={isPending}
        onClick={() => isPending || mutate({ id, status: "cancelled" })}
      >
        Cancel the order
      </button>
      <Failure
        error={hasStatus(error, 412) ? new Error("The order has changed meanwhile") : error}
      />
    </>
  );
};
