import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { describe, expect, test } from "vitest";
import {
  addCustomers,
  createDatabase,
  createFolder,
  isPostgresUp,
  order,
  startShop,
  type Shop,
} from "./shop-harness.ts";

const buyers = 200;
const stock = 10;

const bookText = `INSERT INTO books (isbn, title, author, category, price, stock)
  VALUES ('9780000000002', 'Last', 'A', 'A', 500, ${stock}) RETURNING id`;

/** Fills a database with a book and its buyers, and starts the shops that use it. */
const prepare = async (isShared: boolean) => {
  if (isShared) {
    const { url, pool } = await createDatabase();
    // at the same time, so that one of them waits for the other's migrations
    const shops = await Promise.all([1, 2].map(() => startShop({ DATABASE_URL: url })));
    const { rows } = await pool.query<{ id: string }>(bookText);
    const id = rows[0]?.id ?? "";
    return { shops, id, customers: await addCustomers(pool, buyers, { [id]: 1 }) };
  }
  const folder = createFolder();
  await (await startShop({ DATA_FOLDER: folder })).stop();
  const database = await PGlite.create(join(folder, "database"));
  const { rows } = await database.query<{ id: string }>(bookText);
  const id = rows[0]?.id ?? "";
  const customers = await addCustomers(database, buyers, { [id]: 1 });
  await database.close();
  return { shops: [await startShop({ DATA_FOLDER: folder })], id, customers };
};

describe.each([
  ["PGlite", true, false],
  ["PostgreSQL at 127.0.0.1:5432, with two processes", isPostgresUp, true],
])("on %s", (_name, isUp, isShared) => {
  test.skipIf(!isUp)("200 customers order the last 10 books at once: 10 get one", async () => {
    const { shops, id, customers } = await prepare(isShared);
    const replies = await Promise.all(
      customers.map(({ token }, index) => {
        const { url } = shops[index % shops.length] as Shop;
        return order(url, { authorization: `Bearer ${token}` }, `order-${index}`);
      }),
    );
    const counts = new Map<number, number>();
    for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({ 201: stock, 409: buyers - stock });
    for (const reply of replies)
      expect(await reply.json()).toMatchObject(
        reply.status === 201
          ? { data: { items: [{ bookId: id, quantity: 1 }], total: 500 } }
          : { error: { message: "Last is sold out", data: { bookId: id, stock: 0 } } },
      );
    const left = await fetch(`${shops[0]?.url}/v2/books/${id}`);
    expect(await left.json()).toMatchObject({ data: { stock: 0, version: 1 + stock } });
  });
});
