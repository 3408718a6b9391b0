import { eq } from "drizzle-orm";
import { testEndpoint } from "sallyport/testing";
import { describe, expect, test } from "vitest";
import { readMe } from "../src/accounts/account-endpoints.ts";
import { hashPassword, isPassword } from "../src/accounts/passwords.ts";
import { config } from "../src/api.ts";
import { database } from "../src/database/connection.ts";
import { credentials } from "../src/database/tables.ts";
import { administrator, createCustomer, dataOf, logIn, send, visit } from "./shop.ts";

test("a customer signs up, logs in, and logs out", async () => {
  const visitor = visit();
  const account = { email: "Grace@Example.com", password: "a long password", name: " Grace " };
  const created = await send(visitor, "POST /v2/accounts", account);
  expect([created.status, await dataOf(created)]).toMatchObject([
    201,
    { email: "grace@example.com", name: "Grace", role: "customer" },
  ]);
  expect((await send(visitor, "POST /v2/accounts", account)).status).toBe(409);

  const entered = await send(visitor, "POST /v2/session", account);
  expect(entered.headers.get("set-cookie")).toMatch(
    /^session=.+; Max-Age=604800; .*HttpOnly; SameSite=Lax$/,
  );
  const customer = await logIn(visitor, account.email, account.password);
  expect(await dataOf(await send(customer, "GET /v2/me"))).toMatchObject({ name: "Grace" });

  const left = await send(customer, "DELETE /v2/session");
  expect(left.headers.get("set-cookie")).toMatch(/^session=;/);
  expect((await send(customer, "GET /v2/me")).status).toBe(401);
});

test("a guest is no error, and a session and a token tell whose they are", async () => {
  const guest = await send(visit(), "GET /v2/session");
  expect([guest.status, await dataOf(guest)]).toEqual([200, { account: null }]);
  const customer = await createCustomer();
  const { token } = await dataOf<Record<string, string>>(
    await send(customer, "POST /v2/tokens", { name: "A test" }),
  );
  for (const headers of [customer.headers, { authorization: `Bearer ${token}` }])
    expect(await dataOf(await send({ headers }, "GET /v2/session"))).toMatchObject({
      account: { email: customer.email, role: "customer" },
    });
});

test("a log-in deletes the expired sessions of the account", async () => {
  const customer = await createCustomer();
  const { id = "" } = await dataOf<Record<string, string>>(await send(customer, "GET /v2/me"));
  const isOwn = eq(credentials.accountId, id);
  await database()
    .update(credentials)
    .set({ expiresAt: new Date(0) })
    .where(isOwn);
  await logIn(visit(), customer.email, "a long password");
  expect(await database().$count(credentials, isOwn)).toBe(1);
});

test("a cookie over HTTPS is for HTTPS only", async () => {
  const customer = await createCustomer();
  const body = { email: customer.email, password: "a long password" };
  const headers = { "x-forwarded-proto": "https" };
  const entered = await send(customer, "POST /v2/session", body, headers);
  expect(entered.headers.get("set-cookie")).toContain("; Secure;");
});

test.each([
  ["nothing", {}],
  ["a cookie that nobody has signed", { cookie: "session=abc" }],
  ["an unknown token", { authorization: "Bearer abc" }],
])("%s is not recognised", async (_what, headers) => {
  const { responseMock } = await testEndpoint({
    endpoint: readMe,
    requestProps: { headers },
    configProps: { cookies: config.cookies },
  });
  expect(responseMock._getStatusCode()).toBe(401);
});

test("an unknown address and a wrong password get the same reply", async () => {
  const { email } = await createCustomer();
  const replies = ["nobody@example.com", email].map(async (email) => {
    const response = await send(visit(), "POST /v2/session", { email, password: "a guess" });
    return [response.status, await response.text()];
  });
  const [unknown, wrong] = await Promise.all(replies);
  expect(unknown).toEqual(wrong);
  expect(unknown?.[0]).toBe(401);
});

test("a hash has a salt of its own, and its parameters", async () => {
  const [one, other] = await Promise.all([hashPassword("secret"), hashPassword("secret")]);
  expect(one).toMatch(/^scrypt:16384:8:5:/);
  expect(one).not.toBe(other);
  expect(await isPassword("secret", one)).toBe(true);
  expect(await isPassword("Secret", one)).toBe(false);
  expect(await isPassword("")).toBe(false);
});

describe("log-ins are limited", () => {
  const guess = { email: "guessed@example.com", password: "a guess" };

  test("by account, whatever the address", async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++)
      statuses.push((await send(visit(), "POST /v2/session", guess)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  test("by address, whatever the account", async () => {
    const visitor = visit();
    const statuses = new Set<number>();
    for (let count = 0; count < 30; count++) {
      const body = { ...guess, email: "no address" };
      statuses.add((await send(visitor, "POST /v2/session", body)).status);
    }
    expect([...statuses]).toEqual([400]);
    const refused = await send(visitor, "POST /v2/session", guess);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

test("a token lets a program in until it is deleted", async () => {
  const customer = await createCustomer();
  const created = await send(customer, "POST /v2/tokens", { name: "my script" });
  const { id, token } = await dataOf<{ id: string; token: string }>(created);
  const program = { ...visit(), headers: { authorization: `Bearer ${token}` } };
  expect(await dataOf(await send(program, "GET /v2/me"))).toMatchObject({ email: customer.email });

  const listed = await dataOf(await send(program, "GET /v2/tokens"));
  expect(listed).toEqual({ tokens: [{ id, name: "my script", createdAt: expect.any(String) }] });
  const other = await createCustomer();
  expect((await send(other, `DELETE /v2/tokens/${id}`)).status).toBe(404);
  expect((await send(customer, `DELETE /v2/tokens/${id}`)).status).toBe(200);
  expect((await send(program, "GET /v2/me")).status).toBe(401);
});

test("only an administrator administers, and others hear it as problem details", async () => {
  const customer = await createCustomer();
  const refused = await send(customer, "GET /admin/books.csv");
  expect(refused.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { title: "Forbidden", detail: "Only for administrators" },
  ]);
  expect((await send(visit(), "GET /admin/books.csv")).status).toBe(401);
  expect((await send(administrator, "GET /admin/books.csv")).status).toBe(200);
});
