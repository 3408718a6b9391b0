import { expect, onTestFinished, test, vi } from "vitest";
import { findLogin } from "../src/accounts/find-login.ts";
import { environment } from "../src/environment.ts";
import {
  addBook,
  administrator,
  clientOf,
  createCustomer,
  dataOf,
  send,
  succeed,
  visit,
  type Book,
} from "./shop.ts";

test("a change names the version that it expects", async () => {
  const { id, title } = await addBook(3);
  const path = `/admin/books/${id}`;
  const read = await send(administrator, `GET ${path}`);
  const etag = read.headers.get("etag") ?? "";
  expect([etag, await read.json()]).toMatchObject(['"1"', { id, title, version: 1 }]);
  expect((await send(administrator, `PATCH ${path}`, { price: 1200 })).status).toBe(428);

  const headers = { "if-match": etag };
  const changed = await send(administrator, `PATCH ${path}`, { price: 1200 }, headers);
  expect([changed.status, changed.headers.get("etag")]).toEqual([200, '"2"']);
  expect(await changed.json()).toMatchObject({ title, price: 1200, stock: 3 });
  const late = await send(administrator, `PATCH ${path}`, { price: 1300 }, headers);
  expect([late.status, late.headers.get("content-type")]).toMatchObject([
    412,
    expect.stringContaining("problem+json"),
  ]);
  expect((await send(administrator, `DELETE ${path}`, undefined, headers)).status).toBe(412);
  const last = await send(administrator, `DELETE ${path}`, undefined, { "if-match": '"2"' });
  expect(last.status).toBe(200);
  for (const [method, body] of [["GET"], ["PATCH", { price: 1 }], ["DELETE"]] as const)
    expect((await send(administrator, `${method} ${path}`, body, headers)).status).toBe(404);
});

test("an ISBN belongs to one book", async () => {
  const [one, other] = [await addBook(1), await addBook(1)];
  const read = await send(administrator, `GET /admin/books/${one.id}`);
  const { isbn } = (await read.json()) as { readonly isbn: string };
  const fields = { isbn, title: "a", author: "b", category: "c", price: 1, stock: 1 };
  expect((await send(administrator, "POST /admin/books", fields)).status).toBe(409);
  const headers = { "if-match": '"1"' };
  const path = `PATCH /admin/books/${other.id}`;
  expect((await send(administrator, path, { isbn }, headers)).status).toBe(409);
});

test("invalid fields are named in problem details", async () => {
  const response = await send(administrator, "POST /admin/books", { isbn: "1", price: -5 });
  expect(response.status).toBe(400);
  const { errors } = (await response.json()) as { readonly errors: readonly object[] };
  expect(errors).toEqual(
    expect.arrayContaining([
      { detail: "An ISBN has 13 digits", pointer: "#/isbn" },
      { detail: expect.any(String), pointer: "#/price" },
    ]),
  );
});

const importBooks = async (csv: string | Buffer): Promise<unknown> => {
  const type = { "content-type": "text/csv" };
  return (await send(administrator, "POST /admin/books/import", csv, type)).json();
};

test("the CSV of all books can be imported again", async () => {
  const { id, title } = await addBook(1, { title: '=A "title", with\nall sorts' });
  const exported = await send(administrator, "GET /admin/books.csv");
  expect(exported.headers.get("content-type")).toMatch(/^text\/csv/);
  expect(exported.headers.get("content-disposition")).toBe("attachment; filename=books.csv");
  const csv = await exported.text();
  expect(csv).toMatch(/^isbn,title,author,category,description,price,stock\r\n/);
  const added = `${csv}9791234567896,"New, and nice",B,C,,500,2\r\n`;
  const count = csv.split(/"\d{13}"/).length - 1;
  expect(await importBooks(added)).toEqual({ created: 1, changed: count });
  const found = await send(visit(), "GET /v2/books?q=new,%20and");
  const [book] = (await dataOf<{ books: readonly Book[] }>(found)).books;
  expect(book).toMatchObject({ title: "New, and nice", price: 500, version: 1 });
  expect(await dataOf(await send(visit(), `GET /v2/books/${id}`))).toMatchObject({
    title,
    version: 2,
  });
});

test("a CSV with a wrong row changes nothing, and tells which row", async () => {
  const heading = "isbn,title,author,category,description,price,stock";
  const right = "9791234567001,A,B,C,,5,1";
  const csv = `${heading}\n${right}\n9791234567002,,B,C,,x,\n${right}`;
  expect(await importBooks(csv)).toMatchObject({
    ...{ status: 422, code: "wrongRows" },
    data: [
      { row: 3, detail: expect.stringContaining("title: ") },
      { row: 3, detail: expect.stringContaining("price: ") },
      { row: 3, detail: expect.stringContaining("stock: ") },
      { row: 4, detail: "isbn: An earlier row has the same" },
    ],
  });
  expect(await importBooks(`${csv}\n"`)).toMatchObject({
    data: [{ row: 5, detail: "A quote is misplaced or missing" }],
  });
  const latin1 = await importBooks(
    Buffer.from(`${heading}\n${right.replace("A", "\xc4")}`, "latin1"),
  );
  expect(latin1).toMatchObject({ data: [{ detail: "Save the file as UTF-8" }] });
  const many = (await importBooks(heading + "\nx".repeat(1000))) as { readonly data: object[] };
  expect(many.data.length).toBeLessThan(110);
  expect(await importBooks("isbn\n1")).toMatchObject({
    data: [{ row: 1, detail: expect.stringContaining("Missing columns: title") }],
  });
  const exported = await (await send(administrator, "GET /admin/books.csv")).text();
  expect(exported).not.toContain("9791234567001");
});

test("a wrong cell of a CSV is explained in words for people", async () => {
  const heading = "isbn,title,author,category,description,price,stock";
  const rows = [
    "9791234567001,A,B,C,,5,-1",
    "9791234567002,,B,C,,0.5,1e3",
    `1,A,B,C,,5,${2 ** 31}`,
  ];
  const stock = "stock: Give a whole number, from 0 to 2147483647";
  expect(await importBooks([heading, ...rows].join("\n"))).toMatchObject({
    data: [
      { row: 2, detail: stock },
      { row: 3, detail: "title: Give a title of at most 200 characters" },
      { row: 3, detail: "price: Give a whole number of cents, from 1 to 1000000" },
      { row: 3, detail: stock },
      { row: 4, detail: "isbn: Give 13 digits that begin with 978 or 979" },
      { row: 4, detail: stock },
    ],
  });
});

test("administrators see the orders of all customers, page by page, and nobody else does", async () => {
  const customer = await createCustomer();
  const { id: bookId } = await addBook(2);
  const client = clientOf(customer);
  const ids: string[] = [];
  for (const key of ["first-order", "second-order"]) {
    await client.request("put /v2/cart", { items: [{ bookId, quantity: 1 }] });
    const headers = { "idempotency-key": key };
    ids.push((await succeed(client.request("post /v2/orders", {}, { headers }))).id);
  }
  const read = async (cursor?: string) => {
    const query = cursor === undefined ? { limit: 1 } : { limit: 1, cursor };
    const reply = await clientOf(administrator).request("get /admin/orders", query);
    if (!reply.ok) throw new Error("The list was refused");
    return reply.body;
  };
  const { orders, nextCursor } = await read();
  expect(orders).toMatchObject([{ id: ids[1], customer: { email: customer.email } }]);
  expect((await read(nextCursor ?? "")).orders).toMatchObject([{ id: ids[0] }]);
  expect((await client.request("get /admin/orders")).status).toBe(403);
});

test("the terminal shows a login that works, and a password only if nobody has chosen it", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await findLogin()).toBe("admin@shop.example, password as in ADMIN_PASSWORD");
  vi.stubEnv("ADMIN_PASSWORD", "");
  const { ADMIN_PASSWORD } = environment;
  expect(await findLogin()).toBe(`admin@shop.example, password ${ADMIN_PASSWORD}`);
  onTestFinished(() => void Object.assign(environment, { ADMIN_PASSWORD }));
  Object.assign(environment, { ADMIN_PASSWORD: "another one" });
  expect(await findLogin()).toContain("admin@shop.example, with the password of the first start");
});
