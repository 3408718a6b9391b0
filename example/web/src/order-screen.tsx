import { useMutation, useQuery } from "@tanstack/react-query";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { client, hasStatus, refresh, type Order } from "./client.ts";
import { Failure } from "./form.tsx";
import { toDate, toMoney, toOrderName, toStatusWords } from "./format.ts";
import { Screen } from "./screen.tsx";

/** Shows an order, whose status follows the events. */
export const OrderScreen = ({ id }: { readonly id: string }) => {
  const { data: order, error } = useQuery(queryOptions(client, "get /v2/orders/:id", { id }));
  return (
    <Screen title={toOrderName(id)}>
      <Failure error={error} />
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
};

const CancelButton = ({ order: { id, version } }: { readonly order: Order }) => {
  const { mutate, error, isPending } = useMutation({
    ...mutationOptions(client, "patch /v2/orders/:id", {
      headers: { "if-match": `"${version}"` },
    }),
    onSettled: () => refresh("/v2/orders"),
  });
  return (
    <>
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
