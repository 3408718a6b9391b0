import { DrizzleQueryError } from "drizzle-orm";
import { expect, test } from "vitest";
import { toHttpError } from "../src/to-http-error.ts";

const withCode = (code: string): Error => Object.assign(new Error("No"), { code });
const failQuery = (cause: Error) => new DrizzleQueryError("SELECT $1", ["a secret"], cause);

test.each([
  ["a refused connection", withCode("ECONNREFUSED")],
  ["a database that stops", withCode("57P01")],
  ["a store that fails", withCode("SLP_STORE_UNAVAILABLE")],
  ["an error without code", new Error("Connection terminated unexpectedly")],
  ["a deadlock that a query met", failQuery(withCode("40P01"))],
])("%s is a 503, and the client may try again", (_name, error) => {
  expect(toHttpError(error)).toMatchObject({
    statusCode: 503,
    expose: true,
    headers: { "Retry-After": "5" },
  });
});

test.each([
  ["22003", 400],
  ["22021", 400],
  ["23503", 409],
  ["23505", 409],
])("%s of PostgreSQL is a %d", (code, statusCode) => {
  expect(toHttpError(failQuery(withCode(code)))).toMatchObject({ statusCode });
});

test.each([withCode("42P01"), "text"])("%s stays what it is", (error) =>
  expect(toHttpError(error)).toBe(error),
);

test("the parameters of a query are not logged", () => {
  const { message, stack, params } = toHttpError(failQuery(new Error("No"))) as DrizzleQueryError;
  expect(message).toBe("Failed query: SELECT $1");
  expect([stack, ...params].join()).not.toContain("secret");
  expect(stack).toContain("to-http-error.test.ts");
});
