import { and, eq, gte, sql } from "drizzle-orm";
import createHttpError from "http-errors";
import type { Database } from "../database/connection.ts";
import { books, cartItems, orderItems, orders, payments } from "../database/tables.ts";
import { environment } from "../environment.ts";

export type OrderRow = typeof orders.$inferSelect;

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
  accountId: string,
  key: string,
): Promise<OrderRow> => {
  // waits for a transaction that inserts the same key
  const [created] = await tx
    .insert(orders)
    .values({ accountId, key })
    .onConflictDoNothing()
    .returning();
  if (!created) {
    const [existing] = await tx
      .select()
      .from(orders)
      .where(and(eq(orders.accountId, accountId), eq(orders.key, key)));
    if (!existing) throw createHttpError(409, "The order is being placed");
    return existing;
  }
  // of two orders at the same time, one takes the items
  const wanted = await tx.delete(cartItems).where(eq(cartItems.accountId, accountId)).returning();
  if (wanted.length === 0) throw createHttpError(422, "The cart is empty");
  let total = 0;
  // always in the same order, so that no two transactions wait for each other
  for (const { bookId, quantity } of wanted.sort((a, b) => (a.bookId < b.bookId ? -1 : 1))) {
    const [book] = await tx
      .update(books)
      .set({ stock: sql`${books.stock} - ${quantity}`, version: sql`${books.version} + 1` })
      .where(and(eq(books.id, bookId), gte(books.stock, quantity)))
      .returning({ title: books.title, price: books.price });
    if (!book) {
      const [short] = await tx
        .select({ title: books.title, stock: books.stock })
        .from(books)
        .where(eq(books.id, bookId));
      const { title, stock } = short ?? { title: "a book that is gone", stock: 0 };
      throw createHttpError(409, `There are ${stock} of ${title}`, {
        data: { bookId, title, stock },
      });
    }
    await tx.insert(orderItems).values({ orderId: created.id, bookId, quantity, ...book });
    total += book.price * quantity;
  }
  await tx.insert(payments).values({
    ...{ orderId: created.id, amount: total },
    nextAttemptAt: sql`now() + ${environment.CANCEL_TIME} * interval '1 millisecond'`,
  });
  const [placed] = await tx
    .update(orders)
    .set({ total })
    .where(eq(orders.id, created.id))
    .returning();
  return placed ?? created;
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
