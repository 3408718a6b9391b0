import { eq } from "drizzle-orm";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { database } from "../src/database/connection.ts";
import { payments } from "../src/database/tables.ts";
import { environment } from "../src/environment.ts";
import { toSignature } from "../src/orders/payment-signature.ts";
import { startPayments, stopPayments } from "../src/orders/payments.ts";
import { takePayments } from "../src/shop.ts";
import {
  addBook,
  administrator,
  clientOf,
  createCustomer,
  dataOf,
  log,
  send,
  succeed,
  visit,
  type Book,
  type Visitor,
} from "./shop.ts";

const path = "POST /v2/orders";

const fillCart = (customer: Visitor, { id }: Book, quantity: number) =>
  clientOf(customer).request("put /v2/cart/items/:bookId", { bookId: id, quantity });

const place = (customer: Visitor, key: string = crypto.randomUUID(), total?: number) =>
  clientOf(customer).request("post /v2/orders", { total }, { headers: { "idempotency-key": key } });

const readCart = (customer: Visitor) => succeed(clientOf(customer).request("get /v2/cart"));

const readOrder = (customer: Visitor, id: string) =>
  succeed(clientOf(customer).request("get /v2/orders/:id", { id }));

const stockOf = async ({ id }: Book): Promise<number> =>
  (await succeed(clientOf(visit()).request("get /v2/books/:id", { id }))).stock;

const sendWebhook = (body: object, signature = toSignature(JSON.stringify(body))) =>
  send(visit(), "POST /v2/payments/webhook", body, { "x-payment-signature": signature });

const ignore = () => undefined;
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Collects the charges that the shop asks for, and returns the id of the payment of an amount. */
const findPayment = async (amount: number): Promise<string> => {
  const seen = new Map<number, string>();
  startPayments((charge) => Promise.resolve(void seen.set(charge.amount, charge.id)), silent);
  await expect.poll(() => seen.get(amount)).toBeDefined();
  return seen.get(amount) ?? "";
};

afterEach(stopPayments);

test("a cart holds books until they are ordered", async () => {
  const [customer, book] = [await createCustomer(), await addBook(5)];
  expect((await fillCart(customer, book, 3)).status).toBe(200);
  expect(await succeed(fillCart(customer, book, 2))).toMatchObject({
    items: [{ bookId: book.id, quantity: 2, price: 1000 }],
    total: 2000,
  });
  expect((await fillCart(customer, book, 0)).status).toBe(400);
  const unknown = { ...book, id: crypto.randomUUID() };
  expect((await fillCart(customer, unknown, 1)).status).toBe(404);
  const items = [{ bookId: unknown.id, quantity: 1 }];
  expect((await send(customer, "PUT /v2/cart", { items })).status).toBe(409);
  const twice = [...items, ...items];
  expect((await send(customer, "PUT /v2/cart", { items: twice })).status).toBe(400);
  const one = { items: [{ bookId: book.id, quantity: 1 }] };
  expect(await dataOf(await send(customer, "PUT /v2/cart", one))).toMatchObject({ total: 1000 });
  const removed = await send(customer, `DELETE /v2/cart/items/${book.id}`);
  expect(await dataOf(removed)).toEqual({ items: [], total: 0 });
  expect(await dataOf(await send(customer, "PUT /v2/cart", { items: [] }))).toMatchObject({
    items: [],
  });
  expect((await place(customer)).status).toBe(422);
});

test("an order takes the books from the stock and the cart, once for a key", async () => {
  const [customer, book] = [await createCustomer(), await addBook(5)];
  await fillCart(customer, book, 2);
  expect((await send(customer, path, {})).status).toBe(400);
  const replies = await Promise.all([place(customer, "k"), place(customer, '"k"')]);
  const statuses = new Set(replies.map(({ status }) => status));
  expect(statuses.has(201)).toBe(true);
  // the second may come while the first is still running
  for (const status of statuses) expect([201, 409]).toContain(status);
  const again = await place(customer, "k");
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(again.body).toMatchObject({
    data: {
      ...{ status: "placed", total: 2000, version: 1 },
      items: [{ bookId: book.id, title: "A Test", price: 1000, quantity: 2 }],
    },
  });
  expect(await stockOf(book)).toBe(3);
  expect(await readCart(customer)).toMatchObject({ items: [] });
});

test("the last books are sold once, and those who come late hear what is left", async () => {
  const book = await addBook(4);
  const customers = await Promise.all(Array.from({ length: 10 }, createCustomer));
  await Promise.all(customers.map((customer) => fillCart(customer, book, 1)));
  const replies = await Promise.all(customers.map((customer) => place(customer)));
  const sold = replies.filter(({ status }) => status === 201);
  const late = replies.filter(({ status }) => status === 409);
  expect([sold.length, late.length, await stockOf(book)]).toEqual([4, 6, 0]);
  expect(late[0]?.body).toMatchObject({
    error: { message: "A Test is sold out", code: "shortage", data: { bookId: book.id, stock: 0 } },
  });
});

test("what cannot be ordered is refused with the field to change", async () => {
  const [customer, book] = [await createCustomer(), await addBook(2)];
  expect((await fillCart(customer, book, 999)).body).toMatchObject({
    error: { code: "SLP_INPUT_INVALID", issues: [{ path: ["quantity"] }] },
  });
  await fillCart(customer, book, 3);
  const refused = await place(customer);
  if (refused.status !== 409 || refused.body.error.code !== "shortage") throw new Error("No error");
  expect(refused.body.error).toMatchObject({
    message: "Only 2 of A Test are left",
    data: { bookId: book.id, title: "A Test", field: "quantity", quantity: 3, stock: 2 },
  });
  expect(await stockOf(book)).toBe(2);
  expect(await readCart(customer)).toMatchObject({ total: 3000 });
});

test("nothing is ordered at a price that the customer has not seen", async () => {
  const [customer, book] = [await createCustomer(), await addBook(2)];
  const { total } = await succeed(fillCart(customer, book, 2));
  const headers = { "if-match": "*" };
  await send(administrator, `PATCH /admin/books/${book.id}`, { price: 1001 }, headers);
  const orderFor = (total: number) => place(customer, crypto.randomUUID(), total);
  expect((await orderFor(total)).body).toMatchObject({
    error: { code: "otherTotal", data: { total: 2002 } },
  });
  expect(await readCart(customer)).toMatchObject({ total: 2002 });
  expect(await succeed(orderFor(2002))).toMatchObject({ total: 2002 });
});

test("a customer pages through their orders, and sees nobody else's", async () => {
  const [customer, book] = [await createCustomer(), await addBook(5)];
  const ids: string[] = [];
  for (let count = 0; count < 3; count++) {
    await fillCart(customer, book, 1);
    ids.push((await succeed(place(customer))).id);
  }
  const list = (cursor?: string) =>
    succeed(clientOf(customer).request("get /v2/orders", { limit: 2, cursor }));
  const first = await list();
  const next = await list(first.nextCursor ?? "");
  expect([...first.orders, ...next.orders].map(({ id }) => id)).toEqual(ids.toReversed());
  expect(next.nextCursor).toBeNull();
  const other = await createCustomer();
  expect(await succeed(clientOf(other).request("get /v2/orders"))).toMatchObject({ orders: [] });
  expect((await send(other, `GET /v2/orders/${ids[0]}`)).status).toBe(404);
  const headers = { "if-match": '"1"' };
  const body = { status: "cancelled" };
  expect((await send(other, `PATCH /v2/orders/${ids[0]}`, body, headers)).status).toBe(404);
});

test("an order can be cancelled until it is paid for, by those who know its state", async () => {
  const [customer, book] = [await createCustomer(), await addBook(5)];
  await fillCart(customer, book, 2);
  const { id } = await succeed(place(customer));
  const read = await send(customer, `GET /v2/orders/${id}`);
  const headers = { "if-match": read.headers.get("etag") ?? "" };
  const cancel = (headers?: Record<string, string>) =>
    send(customer, `PATCH /v2/orders/${id}`, { status: "cancelled" }, headers);
  expect((await cancel()).status).toBe(428);
  const cancelled = await cancel(headers);
  expect(await dataOf(cancelled)).toMatchObject({ status: "cancelled", version: 2 });
  expect(await stockOf(book)).toBe(5);
  expect((await cancel(headers)).status).toBe(412);
  expect((await cancel({ "if-match": '"2"' })).status).toBe(409);
  expect(await stockOf(book)).toBe(5);
});

test("the simulated provider charges, and the customer's page hears of it", async () => {
  const [customer, book] = [await createCustomer(), await addBook(1)];
  takePayments((body, signature) => sendWebhook(JSON.parse(body) as object, signature), silent);
  const controller = new AbortController();
  const { signal } = controller;
  const events = clientOf(customer).subscribe("get /v2/orders/events", {}, { signal });
  const first = events.next();
  await fillCart(customer, book, 1);
  // until the stream has begun, nobody would hear
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { id } = await succeed(place(customer));
  expect((await first).value).toMatchObject({ event: "changed", data: { id, status: "placed" } });
  expect((await events.next()).value).toMatchObject({ data: { id, status: "paid", version: 2 } });
  controller.abort();
});

test("a payment is asked for once the order can no longer be cancelled", async () => {
  const customer = await createCustomer();
  await fillCart(customer, await addBook(99), 98);
  environment.CANCEL_TIME = 60_000;
  onTestFinished(() => void (environment.CANCEL_TIME = 0));
  const { id, createdAt, cancelUntil } = await succeed(place(customer));
  expect(Date.parse(cancelUntil) - Date.parse(createdAt)).toBe(60_000);
  environment.CANCEL_TIME = 0;
  await fillCart(customer, await addBook(99), 97);
  await place(customer);
  const charged: number[] = [];
  startPayments(({ amount }) => Promise.resolve(void charged.push(amount)), silent);
  await expect.poll(() => charged).toContain(97_000);
  expect(charged).not.toContain(98_000);
  const cancelled = await send(
    customer,
    `PATCH /v2/orders/${id}`,
    { status: "cancelled" },
    { "if-match": '"1"' },
  );
  expect(cancelled.status).toBe(200);
});

test("a webhook counts once, and only with a signature", async () => {
  const [customer, book] = [await createCustomer(), await addBook(3)];
  await fillCart(customer, book, 2);
  const { id } = await succeed(place(customer));
  const payment = await findPayment(2000);
  const body = { payment, status: "failed" };
  const text = JSON.stringify(body);
  const old = Math.floor(Date.now() / 1000) - 600;
  for (const signature of ["", "t=1", toSignature(`${text} `), toSignature(text, old)])
    expect((await sendWebhook(body, signature)).status).toBe(401);
  expect(await stockOf(book)).toBe(1);
  for (let count = 0; count < 2; count++) expect((await sendWebhook(body)).status).toBe(200);
  expect(await readOrder(customer, id)).toMatchObject({ status: "refused" });
  expect(await stockOf(book)).toBe(3);
  const unknown = { payment: crypto.randomUUID(), status: "succeeded" };
  expect((await sendWebhook(unknown)).status).toBe(200);
});

test.each([
  ["cancelled", 7],
  ["refused", 6],
])(
  "a payment for an order that is %s changes nothing, and is to be refunded",
  async (status, count) => {
    const [customer, book] = [await createCustomer(), await addBook(1_000_000)];
    await fillCart(customer, book, count);
    const { id } = await succeed(place(customer));
    // it has been asked for in vain for months
    await database().update(payments).set({ attempts: 2000 }).where(eq(payments.orderId, id));
    const payment = await findPayment(count * 1000);
    // somebody counts the books anew meanwhile
    const recount = { stock: 1_000_000 };
    await send(administrator, `PATCH /admin/books/${book.id}`, recount, { "if-match": "*" });
    if (status === "refused") await sendWebhook({ payment, status: "failed" });
    else await send(customer, `PATCH /v2/orders/${id}`, { status }, { "if-match": '"1"' });
    expect((await sendWebhook({ payment, status: "succeeded" })).status).toBe(200);
    expect(log.error.at(-1)).toMatchObject([expect.stringContaining("refund"), { payment }]);
    expect(await readOrder(customer, id)).toMatchObject({ status });
    expect(await stockOf(book)).toBe(1_000_000 + count);
  },
);
