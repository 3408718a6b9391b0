import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { parseBooks } from "../src/books/book-csv.ts";
import { bookOrders } from "../src/books/find-books.ts";
import { parseCsv, toCsvLine } from "../src/books/csv.ts";
import { addBook, clientOf, administrator, dataOf, log, send, visit, type Book } from "./shop.ts";

const search = async (query: string) => {
  const response = await send(visit(), `GET /v2/books?${query}`);
  return dataOf<{ readonly books: readonly Book[]; readonly total: number }>(response);
};

test("each book that the shop opens with has a description", async () => {
  const seed = readFileSync(new URL("../seed/books.csv", import.meta.url));
  const { valid, wrong } = await parseBooks(Readable.from([seed]));
  expect([valid.length, wrong]).toEqual([48, []]);
  expect(valid.filter(({ description }) => description === "")).toEqual([]);
});

test("books are searched, filtered, sorted and shown in pages", async () => {
  const client = clientOf(visit());
  const first = await client.provide("get /v2/books", { q: "AUSTEN", sort: "price", limit: 2 });
  if (first.status !== "success") throw new Error(first.error.message);
  expect(first.data.total).toBe(3);
  expect(first.data.books.map(({ title }) => title)).toEqual(["Persuasion", "Pride and Prejudice"]);
  expect((await search("q=austen&sort=price&limit=2&offset=2")).books).toMatchObject([
    { title: "Emma" },
  ]);
  expect((await search("q=100%25")).total).toBe(0);
  const dear = await search("category=Novel&minPrice=1800&sort=-price");
  expect(dear.books.map(({ price }) => price)).toEqual([1999, 1999]);
  const cheap = await search("maxPrice=799&sort=newest&limit=100");
  expect(cheap.books.every(({ price }) => price <= 799)).toBe(true);
  const available = await search("inStock=true&limit=100");
  expect(available.books.every(({ stock }) => stock > 0)).toBe(true);
  const page = await send(visit(), "GET /v2/books?limit=10&q=a");
  expect(page.headers.get("link")).toContain('rel="next"');
  expect((await send(visit(), "GET /v2/books?limit=0")).status).toBe(400);
});

test.each(bookOrders)("pages in the order %s have each book once", async (sort) => {
  const books = [];
  for await (const book of clientOf(visit()).iterate("get /v2/books", { sort, limit: 7 }))
    books.push(book);
  expect(books.length).toBe((await search("limit=1")).total);
  expect(new Set(books.map(({ id }) => id)).size).toBe(books.length);
  const sign = sort === "-price" ? -1 : 1;
  const prices = books.map(({ price }) => sign * price);
  const isByPrice = sort.endsWith("price");
  expect(prices).toEqual(isByPrice ? prices.toSorted((a, b) => a - b) : prices);
});

test("the newest book comes first, and titles are in order", async () => {
  const { id } = await addBook(1, { title: "!" });
  expect((await search("sort=newest&limit=1")).books).toMatchObject([{ id }]);
  expect((await search("sort=title&limit=1")).books).toMatchObject([{ id }]);
});

test("the categories of books are listed once each, in order", async () => {
  const response = await send(visit(), "GET /v2/categories");
  const { categories } = await dataOf<{ readonly categories: readonly string[] }>(response);
  expect(categories).toContain("Gothic");
  expect(categories).toEqual([...new Set(categories)].sort());
});

test("the first version of the API names its successor", async () => {
  const { id } = await addBook(1);
  const list = await send(visit(), "GET /v1/books");
  expect((await dataOf<{ books: unknown[] }>(list)).books.length).toBeGreaterThan(40);
  const one = await send(visit(), `GET /v1/books/${id}`);
  expect(await dataOf(one)).toMatchObject({ price: "10.00" });
  expect(one.headers.get("deprecation")).toMatch(/^@\d+$/);
  expect(one.headers.get("sunset")).toBe("Wed, 30 Jun 2027 00:00:00 GMT");
  expect(one.headers.get("link")).toBe(`</v2/books/${id}>; rel="successor-version"`);
  for (const version of ["v1", "v2"])
    expect((await send(visit(), `GET /${version}/books/${crypto.randomUUID()}`)).status).toBe(404);
});

const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(1000, 7)]);

const toForm = (data: Buffer): FormData => {
  const form = new FormData();
  form.append("cover", new Blob([new Uint8Array(data)], { type: "image/png" }), "cover.png");
  return form;
};

test.each(["q=%00", "category=%00", "minPrice=3000000000"])(
  "what the database cannot compare is refused, and no fault: %s",
  async (query) => {
    const before = log.error.length;
    expect((await send(visit(), `GET /v2/books?${query}`)).status).toBe(400);
    expect(log.error.length).toBe(before);
  },
);

test("a cover is uploaded, cached, and sent in parts", async () => {
  const { id } = await addBook(1);
  const path = `/v2/books/${id}/cover`;
  expect((await send(visit(), `GET ${path}`)).status).toBe(404);
  const sent = await send(administrator, `PUT ${path}`, toForm(png));
  const { cover, version } = (await sent.json()) as Book;
  expect([cover?.startsWith(path), version]).toEqual([true, 2]);

  const read = await send(visit(), `GET ${cover}`);
  expect(read.headers.get("content-type")).toBe("image/png");
  expect(Buffer.from(await read.arrayBuffer()).equals(png)).toBe(true);
  const headers = { "if-none-match": read.headers.get("etag") ?? "" };
  expect((await send(visit(), `GET ${cover}`, undefined, headers)).status).toBe(304);
  const part = await send(visit(), `GET ${cover}`, undefined, { range: "bytes=0-7" });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 0-7/1008"]);

  const missing = `/v2/books/${crypto.randomUUID()}/cover`;
  expect((await send(visit(), `GET ${missing}`)).status).toBe(404);
  expect((await send(administrator, `PUT ${missing}`, toForm(png))).status).toBe(404);
});

test("a cover must be a picture of at most two megabytes", async () => {
  const { id } = await addBook(1);
  const path = `PUT /v2/books/${id}/cover`;
  const text = await send(administrator, path, toForm(Buffer.from("<script>")));
  expect([text.status, await text.json()]).toMatchObject([
    400,
    { detail: "cover: Choose a PNG, JPEG or WebP picture" },
  ]);
  const large = Buffer.concat([png, Buffer.alloc(2_097_152)]);
  expect((await send(administrator, path, toForm(large))).status).toBe(413);
});

/** Reads a CSV that arrives byte by byte. */
const readCsv = async (text: string): Promise<string[][]> => {
  const rows: string[][] = [];
  const bytes = Readable.from([...Buffer.from(text)].map((byte) => Buffer.of(byte)));
  for await (const row of parseCsv(bytes)) rows.push(row);
  return rows;
};

test("CSV keeps commas, quotes and line breaks, and disarms formulas", async () => {
  const line = toCsvLine(['ä "b", c\nd', "=1+1", "'=2", 5, null]);
  expect(line).toBe('"ä ""b"", c\nd","\'=1+1","\'\'=2",5,\r\n');
  expect(await readCsv(`\uFEFF${line}x,\r\n\r\ny`)).toEqual([
    ['ä "b", c\nd', "=1+1", "'=2", "5", ""],
    ["x", ""],
    ["y"],
  ]);
  expect(await readCsv("a,b,")).toEqual([["a", "b", ""]]);
  await expect(readCsv('a,"b')).rejects.toThrow(SyntaxError);
});
