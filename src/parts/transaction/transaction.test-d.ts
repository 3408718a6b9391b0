import type { PgliteDatabase } from "drizzle-orm/pglite";
import type { Kysely, Transaction } from "kysely";
import { describe, expectTypeOf, test } from "vitest";
import { defaultEndpointsFactory as factory, EventStreamFactory } from "../../index.ts";
import { transaction, type AfterCommit } from "./index.ts";

interface Tables {
  readonly books: { readonly title: string };
}

interface Client {
  readonly query: (text: string) => Promise<unknown>;
}
declare const transact: <Result>(work: (tx: Client) => Promise<Result>) => Promise<Result>;
declare const drizzle: PgliteDatabase;
declare const kysely: Kysely<Tables>;
/** The shape of a client that Prisma generates. */
declare const prisma: Client & {
  $transaction<P extends Promise<unknown>[]>(
    queries: [...P],
    options?: { isolationLevel?: "Serializable" },
  ): Promise<{ [Key in keyof P]: Awaited<P[Key]> }>;
  $transaction<R>(
    work: (tx: Omit<typeof prisma, "$transaction">) => Promise<R>,
    options?: { maxWait?: number; timeout?: number; isolationLevel?: "Serializable" },
  ): Promise<R>;
};

type DrizzleTransaction = Parameters<Parameters<typeof drizzle.transaction>[0]>[0];

describe("transaction", () => {
  test("types the context by the application's function", () => {
    factory
      .addContext(() => ({ user: "ada" }))
      .addMiddleware(transaction((work) => transact(work)))
      .build({
        handler: ({ ctx }) => {
          expectTypeOf(ctx).toEqualTypeOf<{
            user: string;
            readonly tx: Client;
            readonly afterCommit: AfterCommit;
          }>();
          return {};
        },
      });
    factory.addMiddleware(transaction((work) => drizzle.transaction(work))).buildVoid({
      handler: ({ ctx }) => expectTypeOf(ctx.tx).toEqualTypeOf<DrizzleTransaction>(),
    });
    factory.addMiddleware(transaction((work) => kysely.transaction().execute(work))).buildVoid({
      handler: ({ ctx }) => expectTypeOf(ctx.tx).toEqualTypeOf<Transaction<Tables>>(),
    });
    factory
      .addMiddleware(transaction((work) => prisma.$transaction(work, { timeout: 10_000 })))
      .buildVoid({
        handler: ({ ctx }) =>
          expectTypeOf(ctx.tx).toEqualTypeOf<Omit<typeof prisma, "$transaction">>(),
      });
  });

  test("takes work before and after that of the request", () => {
    const checked = transaction((work) =>
      transact(async (tx) => {
        await tx.query("SET LOCAL ROLE reader");
        const result = await work({ read: tx });
        await tx.query("SELECT 1");
        return result;
      }),
    );
    factory.addMiddleware(checked).buildVoid({
      handler: ({ ctx }) => expectTypeOf(ctx.tx).toEqualTypeOf<{ read: Client }>(),
    });
  });

  test("has the name of the option `name`", () => {
    factory.addMiddleware(transaction((work) => transact(work), { name: "db" })).buildVoid({
      handler: ({ ctx }) => {
        expectTypeOf(ctx).toEqualTypeOf<{
          readonly db: Client;
          readonly afterCommit: AfterCommit;
        }>();
      },
    });
  });

  test("gives the context so far, whose type it requires", () => {
    const nested = transaction(
      (work, { ctx, signal }: { readonly ctx: { db: typeof drizzle }; signal: AbortSignal }) => {
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        return ctx.db.transaction(work);
      },
    );
    factory
      .addContext(() => ({ db: drizzle }))
      .addMiddleware(nested)
      .buildVoid({
        handler: ({ ctx }) => expectTypeOf(ctx.tx).toEqualTypeOf<DrizzleTransaction>(),
      });
    // @ts-expect-error -- no earlier middleware provides `db`
    factory.addMiddleware(nested);
  });

  test("works with event streams", () => {
    new EventStreamFactory({}).addMiddleware(transaction((work) => transact(work))).build({
      handler: ({ ctx }) => expectTypeOf(ctx.tx).toEqualTypeOf<Client>(),
    });
  });

  test("must return the result of its work", () => {
    // @ts-expect-error -- nothing is returned, so the type of the transaction would be unknown
    void transaction(async (work) => void (await transact(work)));
    // @ts-expect-error -- the option is called `name`
    void transaction((work) => transact(work), { named: "db" });
  });
});
