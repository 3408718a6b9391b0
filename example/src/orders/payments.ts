import { and, eq, inArray, lte, sql } from "drizzle-orm";
import type { Logger } from "sallyport";
import { database, type Database } from "../database/connection.ts";
import { orders, payments } from "../database/tables.ts";
import { environment } from "../environment.ts";
import type { PaymentProvider } from "./payment-providers.ts";
import { endOrder, type OrderRow } from "./orders.ts";

/** Takes payments that are due; another process does not get them until the next attempt, which is later each time. */
const takeDue = (db: Database) => {
  const due = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.status, "requested"), lte(payments.nextAttemptAt, sql`now()`)))
    .orderBy(payments.nextAttemptAt)
    .limit(20)
    .for("update", { skipLocked: true });
  return db
    .update(payments)
    .set({
      attempts: sql`${payments.attempts} + 1`,
      nextAttemptAt: sql`now() + least(15 * 2 ^ least(${payments.attempts}, 8), 3600) * interval '1 second'`,
    })
    .where(inArray(payments.id, due))
    .returning({ id: payments.id, amount: payments.amount });
};

/** How often payments of processes that died are looked for, in milliseconds. */
const interval = 5000;

let requests: { readonly begin: () => void; readonly stop: () => Promise<void> } | undefined;

/** Begins to ask for the payments that the database holds; they survive a process that dies. */
export const startPayments = (provider: PaymentProvider, logger: Logger): void => {
  let isWanted = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      const due = await takeDue(database());
      if (due.length > 0) isWanted = true;
      await Promise.all(
        due.map(async (charge) => {
          try {
            await provider(charge);
          } catch (error) {
            logger.warn("A payment is asked for again later", { payment: charge.id, error });
          }
        }),
      );
    }
  };
  const begin = (): void => {
    isWanted = true;
    running ??= run()
      .catch((error: unknown) => void logger.error("The payments could not be read", { error }))
      .finally(() => (running = undefined));
  };
  const timer = setInterval(begin, interval).unref();
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    requests = undefined;
    await running;
  };
  requests = { begin, stop };
  begin();
};

/** Asks for the payments of orders that have just been placed, once these can no longer be cancelled. */
export const requestPayments = (): void => {
  if (environment.CANCEL_TIME === 0) requests?.begin();
  else setTimeout(() => requests?.begin(), environment.CANCEL_TIME).unref();
};

/** Ends the requests for payments. */
export const stopPayments = async (): Promise<void> => requests?.stop();

/** Records the outcome of a payment, within a transaction; returns the order, if it has changed. */
export const settlePayment = async (
  tx: Database,
  id: string,
  status: "succeeded" | "failed",
  logger: Logger,
): Promise<OrderRow | undefined> => {
  const ofPayment = tx.select({ id: payments.orderId }).from(payments).where(eq(payments.id, id));
  // the order first, as everywhere, so that no two transactions wait for each other
  await tx.select().from(orders).where(inArray(orders.id, ofPayment)).for("update");
  const [payment] = await tx.select().from(payments).where(eq(payments.id, id));
  if (!payment) return undefined;
  if (["withdrawn", "failed"].includes(payment.status) && status === "succeeded")
    // a refund needs the provider's own interface
    logger.error("An order that has ended was paid for: refund it", { payment: id });
  if (payment.status !== "requested") return undefined;
  await tx.update(payments).set({ status }).where(eq(payments.id, id));
  if (status === "failed") return endOrder(tx, payment.orderId, "refused");
  const [paid] = await tx
    .update(orders)
    .set({ status: "paid", version: sql`${orders.version} + 1` })
    .where(and(eq(orders.id, payment.orderId), eq(orders.status, "placed")))
    .returning();
  return paid;
};
