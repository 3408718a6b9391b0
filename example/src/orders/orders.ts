import { and, eq, inArray, sql } from "drizzle-orm";
import type { ApiError } from "sallyport";
import type { z } from "zod";
import type { Database } from "../database/connection.ts";
import { books, cartItems, orderItems, orders, payments } from "../database/tables.ts";
import { environment } from "../environment.ts";
import type { orderErrors } from "./order-schemas.ts";

export type OrderRow = typeof orders.$inferSelect;

interface OrderErrors {
  readonly emptyCart: () => ApiError;
  readonly shortage: (parts: {
    readonly message: string;
    readonly data: z.input<typeof orderErrors.shortage.schema>;
  }) => ApiError;
}

/** Adds its books to an order. */
export const withItems = async (db: Database, order: OrderRow) => ({
  ...order,
  cancelUntil: new Date(order.createdAt.getTime() + environment.CANCEL_TIME),
  items: await db
    .select()
    .from(orderItems)
    .where(eq(orderItems.orderId, order.id))
    .orderBy(orderItems.title, orderItems.bookId),
});

/**
 * Orders what is in the cart of an account, within a transaction. An order that exists under the key is returned
 * instead: that of a process that died after the commit, before it could keep its reply.
 */
export const placeOrder = async (
  tx: Database,
  { id: accountId }: { readonly id: string },
  key: string,
  errors: OrderErrors,
): Promise<OrderRow> => {
  // waits for a transaction that inserts the same key
  const [order] = await tx
    .insert(orders)
    .values({ accountId, key })
    .onConflictDoUpdate({ target: [orders.accountId, orders.key], set: { key } })
    .returning();
  if (!order) throw new Error("The order was not stored");
  if (order.total > 0) return order;
  // of two orders at the same time, one takes the items
  const wanted = await tx.delete(cartItems).where(eq(cartItems.accountId, accountId)).returning();
  if (wanted.length === 0) throw errors.emptyCart();
  const quantities = new Map(wanted.map(({ bookId, quantity }) => [bookId, quantity]));
  // always in the same order, so that no two transactions wait for each other
  const found = await tx
    .select()
    .from(books)
    .where(inArray(books.id, [...quantities.keys()]))
    .orderBy(books.id)
    .for("update");
  let total = 0;
  for (const { id: bookId, title, price, stock } of found) {
    const quantity = quantities.get(bookId) ?? 0;
    if (stock < quantity) {
      const message = stock === 0 ? `${title} is sold out` : `Only ${stock} of ${title} are left`;
      throw errors.shortage({
        message,
        data: { bookId, title, field: "quantity", quantity, stock },
      });
    }
    await tx
      .update(books)
      .set({ stock: stock - quantity, version: sql`${books.version} + 1` })
      .where(eq(books.id, bookId));
    await tx.insert(orderItems).values({ orderId: order.id, bookId, quantity, title, price });
    total += price * quantity;
  }
  await tx.insert(payments).values({
    ...{ orderId: order.id, amount: total },
    nextAttemptAt: sql`now() + ${environment.CANCEL_TIME} * interval '1 millisecond'`,
  });
  await tx.update(orders).set({ total }).where(eq(orders.id, order.id));
  return { ...order, total };
};

/** Ends an order that is not paid for, and puts its books back. */
export const endOrder = async (
  tx: Database,
  id: string,
  status: "refused" | "cancelled",
): Promise<OrderRow | undefined> => {
  const [ended] = await tx
    .update(orders)
    .set({ status, version: sql`${orders.version} + 1` })
    .where(and(eq(orders.id, id), eq(orders.status, "placed")))
    .returning();
  if (!ended) return undefined;
  const items = await tx.select().from(orderItems).where(eq(orderItems.orderId, id));
  for (const { bookId, quantity } of items.sort((a, b) => (a.bookId < b.bookId ? -1 : 1)))
    await tx
      .update(books)
      .set({ stock: sql`${books.stock} + ${quantity}`, version: sql`${books.version} + 1` })
      .where(eq(books.id, bookId));
  return ended;
};
