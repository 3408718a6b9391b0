import { createClient } from "sallyport/client";
import { testServer } from "sallyport/testing";
import { config, routing } from "../src/api.ts";
import { environment } from "../src/environment.ts";

const { logger: _logger, http: _http, ...rest } = config;
const server = await testServer(rest, routing);
export const log = server.loggerMock._getLogs();
const url = (path: string): string => new URL(path, "http://shop.example").href;

/** A browser or a program that calls the shop. */
export interface Visitor {
  readonly headers: Record<string, string>;
}

let visitors = 0;

/** Creates a visitor with an address of their own. */
export const visit = (): Visitor => {
  visitors++;
  return { headers: { "x-forwarded-for": `10.0.${visitors >> 8}.${visitors & 255}` } };
};

/** Sends a request; an object is sent as JSON, anything else as it is. */
export const send = async (
  visitor: Visitor,
  target: string,
  body?: object | string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => {
  const [method = "GET", path = "/"] = target.split(" ");
  const isJson = typeof body === "object" && !(body instanceof FormData || Buffer.isBuffer(body));
  return server.fetch(url(path), {
    method,
    headers: {
      ...visitor.headers,
      ...(isJson && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  });
};

/** Creates the typed client of a visitor. */
export const clientOf = (visitor: Visitor) =>
  createClient<typeof routing>({
    baseUrl: "http://shop.example",
    headers: visitor.headers,
    fetch: server.fetch,
  });

/** Reads the `data` of a successful reply. */
export const dataOf = async <Data = Record<string, unknown>>(response: Response): Promise<Data> => {
  const body = (await response.json()) as { readonly data?: Data };
  if (body.data === undefined) throw new Error(`No success: ${JSON.stringify(body)}`);
  return body.data;
};

type Reply<Data> =
  | { readonly ok: true; readonly body: { readonly data: Data } }
  | { readonly ok: false; readonly body: unknown };

/** Reads the `data` of a successful call. */
export const succeed = async <Data>(call: Promise<Reply<Data>>): Promise<Data> => {
  const { ok, body } = await call;
  if (!ok) throw new Error(`No success: ${JSON.stringify(body)}`);
  return body.data;
};

/** Logs in, and keeps the cookie. */
export const logIn = async (
  visitor: Visitor,
  email: string,
  password: string,
): Promise<Visitor> => {
  const response = await send(visitor, "POST /v2/session", { email, password });
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
  return { ...visitor, headers: { ...visitor.headers, cookie } };
};

const password = "a long password";

/** Creates a customer who is logged in. */
export const createCustomer = async (): Promise<Visitor & { readonly email: string }> => {
  const visitor = visit();
  const email = `customer-${visitors}@example.com`;
  await send(visitor, "POST /v2/accounts", { email, password, name: "Ada" });
  return { ...(await logIn(visitor, email, password)), email };
};

/** The administrator, who has logged in once. */
export const administrator: Visitor = await logIn(
  visit(),
  environment.ADMIN_EMAIL,
  environment.ADMIN_PASSWORD ?? "",
);

export interface Book {
  readonly id: string;
  readonly title: string;
  readonly price: number;
  readonly stock: number;
  readonly version: number;
  readonly cover: string | null;
}

let isbns = 9_780_000_000_000;

/** Adds a book of which there are so many. */
export const addBook = async (
  stock: number,
  fields: { readonly title?: string; readonly author?: string } = {},
): Promise<Book> => {
  const response = await send(administrator, "POST /admin/books", {
    ...{ isbn: String(isbns++), title: "A Test", author: "A. Tester", category: "Tests" },
    ...{ price: 1000, stock, ...fields },
  });
  return (await response.json()) as Book;
};
