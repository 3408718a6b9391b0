import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { addCustomers, createDatabase, isPostgresUp, order, startShop } from "./shop-harness.ts";

const tries = 100;
const stock = 1000;

/** Sends all orders, eight at a time; `limit` leaves the server after a number of milliseconds. */
const sendAll = async (
  url: string,
  tokens: readonly string[],
  limit?: () => number,
): Promise<number[]> => {
  const statuses: number[] = [];
  let next = 0;
  const send = async (): Promise<void> => {
    for (let index = next++; index < tokens.length; index = next++) {
      const signal = limit && AbortSignal.timeout(limit());
      const headers = { authorization: `Bearer ${tokens[index]}` };
      const reply = await order(url, headers, "once", signal).catch(() => undefined);
      await reply?.arrayBuffer().catch(() => undefined);
      statuses.push(reply?.status ?? 0);
    }
  };
  await Promise.all(Array.from({ length: 8 }, send));
  return statuses;
};

test.skipIf(!isPostgresUp).each([
  { what: "clients leave", variables: {}, limit: () => Math.ceil(Math.random() * 900) },
  { what: "a time limit expires", variables: { REQUEST_TIMEOUT: "450" }, limit: undefined },
])(
  "on PostgreSQL at 127.0.0.1:5432, 100 orders are whole or absent although $what",
  async ({ variables, limit }) => {
    const { url, pool } = await createDatabase();
    const shop = await startShop({
      ...{ DATABASE_URL: url, DATABASE_CONNECTIONS: "10", PAYMENT_URL: "http://127.0.0.1:9" },
    });
    // a second process with the limit; the first has migrated without it
    const limited = await startShop({
      ...{ DATABASE_URL: url, DATABASE_CONNECTIONS: "10", PAYMENT_URL: "http://127.0.0.1:9" },
      ...variables,
    });
    await pool.query(`CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(random() * 0.25); RETURN NEW; END $$`);
    await pool.query(
      "CREATE TRIGGER pause BEFORE INSERT ON order_items FOR EACH ROW EXECUTE FUNCTION pause()",
    );
    const { rows: books } = await pool.query<{ id: string }>(
      `INSERT INTO books (isbn, title, author, category, price, stock)
       SELECT (9780000000000 + n)::text, 'A', 'A', 'A', 100, ${stock} FROM generate_series(1, ${tries * 3}) AS n RETURNING id`,
    );
    // books of their own, so that customers do not wait for each other
    const cartOf = (index: number) =>
      Object.fromEntries(books.slice(index * 3, index * 3 + 3).map(({ id }) => [id, 1]));
    const customers: { readonly token: string }[] = [];
    for (let index = 0; index < tries; index++)
      customers.push(...(await addCustomers(pool, 1, cartOf(index))));
    const statuses = await sendAll(
      limited.url,
      customers.map(({ token }) => token),
      limit,
    );
    const open = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`;
    await expect
      .poll(async () => (await pool.query<{ count: number }>(open)).rows[0]?.count)
      .toBe(0);
    // what a stray query would write comes after the end of its transaction
    await sleep(300);

    const { rows } = await pool.query<Record<"items" | "payments" | "cart" | "writers", number>>(
      `SELECT (SELECT count(*)::int FROM order_items WHERE order_id = orders.id) AS items,
         (SELECT count(*)::int FROM payments WHERE order_id = orders.id) AS payments,
         (SELECT count(*)::int FROM cart_items WHERE account_id = accounts.id) AS cart,
         (SELECT count(DISTINCT writer)::int FROM (
           SELECT xmin::text AS writer FROM order_items WHERE order_id = orders.id
           UNION SELECT orders.xmin::text) AS writers) AS writers
       FROM accounts LEFT JOIN orders ON orders.account_id = accounts.id
       WHERE accounts.role = 'customer'`,
    );
    const whole = { items: 3, payments: 1, cart: 0, writers: 1 };
    const sold = rows.filter(({ items }) => items > 0);
    expect(rows).toHaveLength(tries);
    const absent = { items: 0, payments: 0, cart: 3 };
    for (const row of rows) expect(row).toMatchObject(row.items > 0 ? whole : absent);
    const left = await pool.query("SELECT sum(stock)::int AS stock FROM books WHERE title = 'A'");
    expect(left.rows).toEqual([{ stock: 3 * (tries * stock - sold.length) }]);
    const { rows: shared } = await pool.query(
      "SELECT xmin FROM orders GROUP BY xmin HAVING count(*) > 1",
    );
    expect(shared).toEqual([]);
    // those who were told of success have their order, and the pool has all its connections
    expect(sold.length).toBeGreaterThanOrEqual(statuses.filter((status) => status === 201).length);
    const cut = statuses.filter((status) => status !== 201).length;
    expect(cut).toBeGreaterThan(0);
    expect(sold.length).toBeGreaterThan(0);
    const more = await addCustomers(pool, 8, cartOf(0));
    await pool.query("DROP TRIGGER pause ON order_items");
    const tokens = more.map(({ token }) => token);
    expect(await sendAll(shop.url, tokens)).toEqual(Array(8).fill(201));
    // oxlint-disable-next-line no-console -- the figures
    console.log({ tries, cut, sold: sold.length, statuses: [...new Set(statuses)] });
  },
);

test.skipIf(!isPostgresUp)(
  "on PostgreSQL at 127.0.0.1:5432, orders and administrators never wait for each other",
  async () => {
    const { url, pool } = await createDatabase();
    const variables = { DATABASE_URL: url, PAYMENT_URL: "http://127.0.0.1:9" };
    const [shop, other] = await Promise.all([startShop(variables), startShop(variables)]);
    await pool.query(`CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(0.3); RETURN OLD; END $$`);
    await pool.query(
      "CREATE TRIGGER pause AFTER DELETE ON cart_items FOR EACH ROW EXECUTE FUNCTION pause()",
    );
    const { rows: books } = await pool.query<{ id: string; isbn: string }>(
      "SELECT id, isbn FROM books WHERE stock > 5 LIMIT 2",
    );
    const [sold, changed] = books;
    const [customer] = await addCustomers(pool, 1, { [sold?.id ?? ""]: 1 });
    const [admin] = await addCustomers(pool, 1, {});
    await pool.query("UPDATE accounts SET role = 'admin' WHERE id = $1", [admin?.id]);
    const administer = async (shop: { readonly url: string }, target: string, body?: string) => {
      const [method = "", path = ""] = target.split(" ");
      const reply = await fetch(shop.url + path, {
        method,
        headers: {
          ...{ authorization: `Bearer ${admin?.token}`, "if-match": "*" },
          "content-type": method === "POST" ? "text/csv" : "application/json",
        },
        ...(body !== undefined && { body }),
      });
      await reply.arrayBuffer();
      return reply.status;
    };
    const ordered = order(shop.url, { authorization: `Bearer ${customer?.token}` }, "once");
    await sleep(150);
    const deleted = await administer(other, `DELETE /admin/books/${sold?.id}`);
    expect([(await ordered).status, deleted]).toEqual([201, 200]);

    const csv = `isbn,title,author,category,description,price,stock\n${changed?.isbn},A,B,C,,5,5\n`;
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 3 === 0
          ? administer(index % 2 === 0 ? shop : other, "POST /admin/books/import", csv)
          : administer(index % 2 === 0 ? shop : other, `PATCH /admin/books/${changed?.id}`, "{}"),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  },
);
