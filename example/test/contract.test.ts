import { expect, test } from "vitest";
import { verify } from "../../packages/contract/src/index.ts";
import { runCommand } from "../../packages/contract/test/run-command.ts";
import { config, routing } from "../src/api.ts";
import { addBook, administrator, createCustomer, dataOf, send } from "./shop.ts";

// the shop of the other tests has opened what the endpoints need
const { logger: _logger, http: _http, resources: _resources, ...rest } = config;

const [ada, bob] = [await createCustomer(), await createCustomer()];
const isForAdmins = (path: string): boolean => path.startsWith("/admin") || path.endsWith("/cover");

const cover = "RIFF....WEBP";
const addCover = async (): Promise<{ id: string }> => {
  const { id } = await addBook(5);
  const form = new FormData();
  form.set("cover", new Blob([cover]), "cover.webp");
  await send(administrator, `PUT /v2/books/${id}/cover`, form);
  return { id };
};
const fillCart = async (): Promise<{ bookId: string }> => {
  const { id } = await addBook(5);
  await send(ada, "PUT /v2/cart", { items: [{ bookId: id, quantity: 1 }] });
  return { bookId: id };
};
const order = async (): Promise<{ id: string }> => {
  await fillCart();
  const headers = { "idempotency-key": crypto.randomUUID() };
  const { id } = await dataOf<{ id: string }>(await send(ada, "POST /v2/orders", {}, headers));
  return { id };
};
const addToken = (): Promise<{ id: string }> =>
  send(ada, "POST /v2/tokens", { name: "A test" }).then(dataOf<{ id: string }>);

test("nothing that clients depend on has changed since the lock, but what is accepted", async () => {
  const args = ["--check", "--lock", "example/api.lock.json", "--head", "example/openapi.yaml"];
  const { code, out, err } = await runCommand("lock", ...args);
  // the report is what helps
  expect(code === 0 ? "ok" : out + err).toBe("ok");
});

let people = 0;
let isbns = 9_790_000_000_000;
const password = "a long password";

const skip = {
  "get /v2/orders/events": "Events come only when an order changes; orders.test.ts follows them.",
  "put /v2/cart/items/:bookId ignored_owner": "Anyone may put a book into the cart.",
  "delete /v2/cart/items/:bookId ignored_owner": "Nothing is in the cart of the other.",
  "post /v2/payments/webhook": "Its signature depends on the body; orders.test.ts signs some.",
};

/** Declared statuses that need more than one call, or none that a client can make. */
const unreached = {
  "post /admin/books 409": "The fixture never repeats an ISBN; administration.test.ts does.",
  "post /admin/books/import 400": "A missing body is no CSV, which is a 422.",
  "post /admin/books/import 415": "A body that is not parsed has any type.",
  "post /v2/accounts 429": "Each call has an address of its own; accounts.test.ts calls from one.",
  "post /v2/session 429": "Each call has an address of its own; accounts.test.ts calls from one.",
};

test("the shop keeps to its document", async () => {
  const { ok, text, table } = await verify({
    ...{ routing, config: rest, skip, seed: 1, runs: 4, patience: 60_000 },
    login: {
      sessionCookie: {
        own: async (_client, { path }) => {
          if (isForAdmins(path)) return administrator.headers;
          // the one who logs out is not needed again
          return (path === "/v2/session" ? await createCustomer() : ada).headers;
        },
        other: () => bob.headers,
      },
    },
    fixtures: {
      "/v1/books/:id": () => addBook(5).then(({ id }) => ({ id })),
      "/v2/books/:id": addCover,
      "put /v2/books/:id/cover": async () => ({ ...(await addCover()), cover }),
      "post /v2/accounts": () => ({ email: `new-${++people}@example.com`, password }),
      "post /v2/session": async () => ({ email: (await createCustomer()).email, password }),
      "delete /v2/tokens/:id": addToken,
      "put /v2/cart": async () => ({ items: [{ bookId: (await addBook(5)).id, quantity: 1 }] }),
      "/v2/cart/items/:bookId": fillCart,
      "post /v2/orders": async () => {
        await fillCart();
        return {};
      },
      "get /v2/orders": async () => {
        for (let count = 0; count < 3; count++) await order();
        return {};
      },
      "/v2/orders/:id": order,
      "patch /v2/orders/:id": async () => ({ ...(await order()), status: "cancelled" }),
      "post /admin/books": () => ({ isbn: String(isbns++) }),
      "/admin/books/:id": () => addBook(5).then(({ id }) => ({ id })),
      "post /admin/books/import": () => ({
        raw: "isbn,title,author,category,description,price,stock\r\n9791234567896,A,B,C,,500,2\r\n",
      }),
    },
  });
  // the report is what helps
  expect(ok ? "ok" : text).toBe("ok");
  const unseen = table
    .filter(({ operation }) => !Object.hasOwn(skip, operation))
    .flatMap(({ operation, statuses }) =>
      statuses
        .filter(({ seen, status }) => seen === 0 && status < 500)
        .map(({ status }) => `${operation} ${status}`),
    );
  expect(unseen.toSorted()).toEqual(Object.keys(unreached).toSorted());
}, 120_000);
