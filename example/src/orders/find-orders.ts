import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { orderItems, orders } from "../database/tables.ts";

export type OrderRow = typeof orders.$inferSelect;

/** Adds its books to an order. */
export const withItems = async (db: Database, order: OrderRow) => ({
  ...order,
  items: await db
    .select()
    .from(orderItems)
    .where(eq(orderItems.orderId, order.id))
    .orderBy(orderItems.title, orderItems.bookId),
});

/** Finds an order of an account. */
export const findOrder = async (
  db: Database,
  accountId: string,
  id: string,
): Promise<OrderRow | undefined> => {
  const [found] = await db
    .select()
    .from(orders)
    .where(and(eq(orders.id, id), eq(orders.accountId, accountId)));
  return found;
};

/** Lists the orders of an account, the newest first, after an order. */
export const listOrdersAfter = (
  db: Database,
  accountId: string,
  after: { readonly createdAt: Date; readonly id: string } | undefined,
  limit: number,
): Promise<OrderRow[]> =>
  db
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.accountId, accountId),
        after &&
          sql`(${orders.createdAt}, ${orders.id}) < (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
      ),
    )
    .orderBy(desc(orders.createdAt), desc(orders.id))
    .limit(limit);
