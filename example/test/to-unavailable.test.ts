import { expect, test } from "vitest";
import { toUnavailable } from "../src/to-unavailable.ts";

const withCode = (code: string): Error => Object.assign(new Error("No"), { code });

test.each([
  ["a refused connection", withCode("ECONNREFUSED")],
  ["a database that stops", withCode("57P01")],
  ["a store that fails", withCode("SLP_STORE_UNAVAILABLE")],
  ["an error without code", new Error("Connection terminated unexpectedly")],
  ["what a query failed of", new Error("Failed query", { cause: withCode("08006") })],
])("%s is a 503, and the client may try again", (_name, error) => {
  expect(toUnavailable(error)).toMatchObject({
    statusCode: 503,
    expose: true,
    headers: { "Retry-After": "5" },
  });
});

test.each([withCode("23505"), new Error("Failed query", { cause: new Error("No") }), "text"])(
  "%s stays what it is",
  (error) => expect(toUnavailable(error)).toBe(error),
);
