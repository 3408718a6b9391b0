import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import { EventStreamFactory, ez } from "sallyport";
import { idempotency, memoryStore, postgresStore, redisStore } from "sallyport/idempotency";
import { z } from "zod";
import type { Caller } from "../accounts/credentials.ts";
import { keyPool } from "../database/connection.ts";
import { accounts, orders, payments } from "../database/tables.ts";
import { environment } from "../environment.ts";
import { accountFactory, adminFactory, inTransaction, versionOf } from "../factories.ts";
import { redis } from "../redis.ts";
import { orderEvents, publishOrder } from "./order-events.ts";
import { customerOrder, order, orderErrors, orderId, orderSummary } from "./order-schemas.ts";
import { requestPayments } from "./payments.ts";
import { endOrder, placeOrder, withItems } from "./orders.ts";

const tag = "orders";

const noOrder = { noOrder: { status: 404, description: "There is no such order" } } as const;
const byId = z.object({ id: orderId });
const isOrder = (id: string, caller: Caller) =>
  and(eq(orders.id, id), eq(orders.accountId, caller.id));

const keptReplies = () => {
  if (redis) return redisStore(redis, { prefix: "shop:reply:" });
  return keyPool ? postgresStore(keyPool, { name: "shop" }) : memoryStore();
};

export const createOrder = accountFactory
  .addMiddleware(
    idempotency({
      store: keptReplies(),
      scope: ({ ctx }) => ctx.caller.id,
      required: true,
      // a customer whose order met a process that died need not wait long
      lease: 10_000,
    }),
  )
  .addMiddleware(inTransaction)
  .build({
    method: "post",
    tag,
    shortDescription: "Orders what is in the cart",
    statusCode: 201,
    errors: orderErrors,
    input: z.object({
      total: z
        .int()
        .optional()
        .describe("What the customer has seen; nothing else is ordered")
        .meta({ examples: [2598] }),
    }),
    output: order,
    handler: async ({ input: { total }, ctx, errors }) => {
      const { tx, afterCommit, caller, idempotencyKey = "" } = ctx;
      const placed = await placeOrder(tx, caller, idempotencyKey, errors);
      if (total !== undefined && total !== placed.total)
        throw errors.otherTotal({ data: { total: placed.total } });
      afterCommit(requestPayments);
      afterCommit(() => publishOrder(placed));
      return withItems(tx, placed);
    },
  });

const place = z.object({ createdAt: ez.dateIn(), id: z.uuid() });
const cursor = ez.cursor(place, { secret: environment.SESSION_SECRET });
const paged = { style: "cursor", itemsName: "orders", cursor } as const;
const page = ez.paginated({ ...paged, itemSchema: orderSummary });
const pageOfAll = ez.paginated({ ...paged, itemSchema: customerOrder });

const newestFirst = [desc(orders.createdAt), desc(orders.id)] as const;

/** The condition of the orders that come after a place in the list. */
const isAfter = (cursor: z.output<typeof place> | undefined) =>
  cursor &&
  sql`(${orders.createdAt}, ${orders.id}) < (${cursor.createdAt.toISOString()}::timestamptz, ${cursor.id}::uuid)`;

/** Converts a page of rows, which has one more if there is another page. */
const toPage = <Row>(rows: readonly Row[], limit: number) => {
  const shown = rows.slice(0, limit);
  return { orders: shown, limit, nextCursor: rows.length > limit ? (shown.at(-1) ?? null) : null };
};

export const listOrders = accountFactory.build({
  tag,
  shortDescription: "Lists the orders of the account, the newest first",
  ...page,
  handler: async ({ input: { limit, cursor }, ctx: { db, caller } }) => {
    const rows = await db
      .select()
      .from(orders)
      .where(and(eq(orders.accountId, caller.id), isAfter(cursor)))
      .orderBy(...newestFirst)
      .limit(limit + 1);
    return toPage(rows, limit);
  },
});

export const listAllOrders = adminFactory.build({
  tag: "administration",
  shortDescription: "Lists the orders of all customers, the newest first",
  ...pageOfAll,
  handler: async ({ input: { limit, cursor }, ctx: { db } }) => {
    const customer = { name: accounts.name, email: accounts.email };
    const rows = await db
      .select({ ...getTableColumns(orders), customer })
      .from(orders)
      .innerJoin(accounts, eq(accounts.id, orders.accountId))
      .where(isAfter(cursor))
      .orderBy(...newestFirst)
      .limit(limit + 1);
    return toPage(rows, limit);
  },
});

export const readOrder = accountFactory.build({
  tag,
  shortDescription: "Reads an order",
  errors: noOrder,
  input: byId,
  output: order,
  version: versionOf,
  handler: async ({ input: { id }, ctx: { db, caller }, errors }) => {
    const [found] = await db.select().from(orders).where(isOrder(id, caller));
    if (!found) throw errors.noOrder();
    return withItems(db, found);
  },
});

export const cancelOrder = accountFactory
  .addMiddleware(inTransaction)
  .addMiddleware({
    afterValidation: true,
    input: byId,
    errors: noOrder,
    handler: async ({ input: { id }, ctx: { tx, caller }, errors }) => {
      const [found] = await tx.select().from(orders).where(isOrder(id, caller)).for("update");
      if (!found) throw errors.noOrder();
      return { version: String(found.version) };
    },
  })
  .build({
    method: "patch",
    tag,
    shortDescription: "Cancels an order that is not paid for",
    errors: { ended: { status: 409, description: "The order is paid for, or has ended" } },
    input: z.object({ status: z.literal("cancelled") }),
    output: order,
    version: versionOf,
    ifMatch: "required",
    current: ({ ctx }) => ctx.version,
    handler: async ({ input: { id }, ctx: { tx, afterCommit }, errors }) => {
      const ended = await endOrder(tx, id, "cancelled");
      if (!ended) throw errors.ended();
      await tx.update(payments).set({ status: "withdrawn" }).where(eq(payments.orderId, id));
      afterCommit(() => publishOrder(ended));
      return withItems(tx, ended);
    },
  });

export const watchOrders = new EventStreamFactory({}, { factory: accountFactory }).build({
  tag,
  shortDescription: "Streams the changes of the account's orders",
  channel: orderEvents,
  topic: ({ ctx }) => ctx.caller.id,
});
