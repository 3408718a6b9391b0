import { once } from "node:events";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/pglite";
import createHttpError from "http-errors";
import { Kysely, PostgresDialect, sql as kyselySql, type PostgresPool } from "kysely";
import type { Pool, PoolClient } from "pg";
import { defaultEndpointsFactory } from "sallyport";
import { transaction, type AfterCommit } from "sallyport/transaction";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

const client = await PGlite.create();
await client.exec(`
  CREATE TABLE authors (name text PRIMARY KEY);
  CREATE TABLE books (title text PRIMARY KEY, author text REFERENCES authors DEFERRABLE INITIALLY DEFERRED);
  INSERT INTO authors VALUES ('Ada')`);

const run = (text: string, values?: readonly unknown[]) => client.query(text, [...(values ?? [])]);

/** What a pool of `pg` does, with the only connection of PGlite; a connection that is out keeps others waiting. */
const createPool = () => {
  let free: Promise<void> = Promise.resolve();
  let busy = 0;
  const connect = async () => {
    const before = free;
    let release = (): void => undefined;
    free = new Promise((resolve) => (release = resolve));
    await before;
    busy++;
    return { query: run, release: () => (busy--, release()) };
  };
  return { connect, end: async () => undefined, countBusy: () => busy };
};
const own = createPool();
const pool = own as unknown as Pool;

const transact = async <Result>(work: (tx: PoolClient) => Promise<Result>): Promise<Result> => {
  const tx = await pool.connect();
  let isBroken = false;
  try {
    await tx.query("BEGIN");
    const result = await work(tx);
    const { command } = await tx.query("COMMIT");
    if (command !== "COMMIT") throw new Error("A query failed, so nothing was committed");
    return result;
  } catch (error) {
    await tx.query("ROLLBACK").catch(() => (isBroken = true));
    throw error;
  } finally {
    tx.release(isBroken);
  }
};

const orm = drizzle(client);
const builder = new Kysely<object>({
  dialect: new PostgresDialect({ pool: own as unknown as PostgresPool }),
});

const input = z.object({ title: z.string(), author: z.string().default("Ada") });
type Book = z.infer<typeof input>;

interface Work {
  readonly insert: (book: Book) => Promise<unknown>;
  readonly afterCommit: AfterCommit;
}

const factory = defaultEndpointsFactory;
const afterValidation = { afterValidation: true };

/** Factories whose handlers write in transactions of each library, as docs/transactions.md shows. */
const factories = {
  pg: factory.addMiddleware(transaction((work) => transact(work))).addContext(
    ({ tx }) => ({
      insert: ({ title, author }: Book): Promise<unknown> =>
        tx.query("INSERT INTO books VALUES ($1, $2)", [title, author]),
    }),
    afterValidation,
  ),
  Drizzle: factory
    .addMiddleware(
      transaction((work) =>
        orm.transaction(async (tx) => {
          const result = await work(tx);
          await tx.execute(sql`SELECT 1`);
          return result;
        }),
      ),
    )
    .addContext(
      ({ tx }) => ({
        insert: async ({ title, author }: Book): Promise<unknown> =>
          tx.execute(sql`INSERT INTO books VALUES (${title}, ${author})`),
      }),
      afterValidation,
    ),
  Kysely: factory
    .addMiddleware(
      transaction((work) =>
        builder.transaction().execute(async (tx) => {
          const result = await work(tx);
          await kyselySql`SELECT 1`.execute(tx);
          return result;
        }),
      ),
    )
    .addContext(
      ({ tx }) => ({
        insert: ({ title, author }: Book): Promise<unknown> =>
          kyselySql`INSERT INTO books VALUES (${title}, ${author})`.execute(tx),
      }),
      afterValidation,
    ),
};

const declared = { taken: { status: 409, description: "The title is taken" } } as const;

/** Builds an endpoint that writes a book, orders a letter for after the commit, and goes on as given. */
const build = (
  name: keyof typeof factories,
  letters: string[],
  goOn: (work: Work, signal: AbortSignal) => unknown = () => undefined,
) =>
  // the three factories differ only in the type of the transaction
  (factories[name] as (typeof factories)["pg"]).build({
    method: "post",
    input,
    errors: declared,
    handler: async ({ input: book, ctx, signal, errors }) => {
      await ctx.insert(book);
      ctx.afterCommit(() => letters.push(book.title));
      if (book.title === "taken") throw errors.taken();
      await goOn(ctx, signal);
      return {};
    },
  });

const listTitles = async (): Promise<unknown[]> => {
  const { rows } = await client.query<{ title: string }>("SELECT title FROM books ORDER BY title");
  return rows.map(({ title }) => title);
};

beforeEach(() => client.exec("DELETE FROM books").then(() => undefined));
afterAll(() => client.close());

describe.each(["pg", "Drizzle", "Kysely"] as const)("the recipe for %s", (name) => {
  test("commits, and then runs the jobs", async () => {
    const letters: string[] = [];
    const server = await start({
      books: build(name, letters, () => expect(letters).toEqual([])),
    });
    const answer = await server.send("/books", { method: "POST", body: { title: "A" } });
    expect(answer.json()).toEqual(successEnvelope({}));
    expect([await listTitles(), letters]).toEqual([["A"], ["A"]]);
  });

  test("rolls back after a thrown and after a declared error, without the jobs", async () => {
    const letters: string[] = [];
    const fail = (): never => {
      throw createHttpError(418, "no");
    };
    const server = await start({ books: build(name, letters, fail) });
    const send = (title: string) => server.send("/books", { method: "POST", body: { title } });
    expect((await send("A")).json()).toEqual(errorEnvelope("no"));
    expect((await send("taken")).status).toBe(409);
    expect([await listTitles(), letters]).toEqual([[], []]);
  });

  test("answers a commit that fails with an error, without the jobs", async () => {
    const letters: string[] = [];
    const server = await start({ books: build(name, letters) });
    const body = { title: "A", author: "nobody" };
    expect((await server.send("/books", { method: "POST", body })).status).toBe(500);
    expect([await listTitles(), letters]).toEqual([[], []]);
    const next = await server.send("/books", { method: "POST", body: { title: "B" } });
    expect(next.status).toBe(200);
    expect([await listTitles(), letters]).toEqual([["B"], ["B"]]);
  });

  test("answers with an error if the handler has caught that of a query", async () => {
    const letters: string[] = [];
    const server = await start({
      books: build(name, letters, ({ insert }) =>
        insert({ title: "A", author: "Ada" }).catch(() => undefined),
      ),
    });
    const answer = await server.send("/books", { method: "POST", body: { title: "A" } });
    expect(answer.status).toBe(500);
    expect([await listTitles(), letters]).toEqual([[], []]);
  });

  test("commits what a handler has done although the client has left", async () => {
    const letters: string[] = [];
    const server = await start({
      books: build(name, letters, (_work, signal) => {
        socket.destroy();
        return signal.aborted || once(signal, "abort");
      }),
    });
    const socket = await server.open();
    const body = JSON.stringify({ title: "A" });
    socket.write(
      `POST /books HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(() => letters).toEqual(["A"]);
    expect(await listTitles()).toEqual(["A"]);
    expect(own.countBusy()).toBe(0);
  });
});
