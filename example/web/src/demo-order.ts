import { client, queryClient, refresh, type Order } from "./client.ts";
import { queryOptions } from "sallyport/tanstack-query";

/** Puts a single cheap book in the cart for as long as something runs, and then what was in it before. */
export const withDemoCart = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  const fresh = { staleTime: 0 };
  const [{ items }, { books }] = await Promise.all([
    queryClient.fetchQuery({ ...queryOptions(client, "get /v2/cart"), ...fresh }),
    queryClient.fetchQuery({
      ...queryOptions(client, "get /v2/books", { sort: "price", inStock: "true", limit: 1 }),
      ...fresh,
    }),
  ]);
  const [book] = books;
  if (!book) throw new Error("Every book is sold out");
  const fill = (items: readonly { readonly bookId: string; readonly quantity: number }[]) =>
    client.request("put /v2/cart", {
      items: items.map(({ bookId, quantity }) => ({ bookId, quantity })),
    });
  const filled = await fill([{ bookId: book.id, quantity: 1 }]);
  if (!filled.ok) throw new Error("The cart could not be changed");
  try {
    return await run();
  } finally {
    await fill(items);
    await Promise.all([refresh("/v2/cart"), refresh("/v2/orders"), refresh("/v2/books")]);
  }
};

/** Orders what is in the cart under a key. */
export const placeOrder = async (key: string) => {
  const reply = await client.request(
    "post /v2/orders",
    {},
    { headers: { "idempotency-key": key } },
  );
  if (!reply.ok) throw new Error("The order was refused");
  return reply;
};

/** Cancels an order, so that a demonstration leaves nothing behind. */
export const cancelOrder = async ({ id, version }: Pick<Order, "id" | "version">) => {
  const headers = { "if-match": `"${version}"` };
  await client.request("patch /v2/orders/:id", { id, status: "cancelled" }, { headers });
};
