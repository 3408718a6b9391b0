import { DrizzleQueryError } from "drizzle-orm";
import { defaultEndpointsFactory } from "sallyport";
import { testEndpoint } from "sallyport/testing";
import { expect, test } from "vitest";
import { databaseErrors, toHttpError } from "../src/to-http-error.ts";

const withCode = (code: string): Error => Object.assign(new Error("No"), { code });
const failQuery = (cause: Error) => new DrizzleQueryError("SELECT $1", ["a secret"], cause);

/** Returns the reply of an endpoint that throws. */
const throws = async (error: unknown) => {
  const endpoint = defaultEndpointsFactory
    .onError({ errors: databaseErrors, handler: toHttpError })
    .build({
      handler: () => {
        throw error;
      },
    });
  const { responseMock, loggerMock } = await testEndpoint({ endpoint });
  return {
    status: responseMock._getStatusCode(),
    headers: responseMock._getHeaders(),
    body: responseMock._getJSONData<object>(),
    log: JSON.stringify(loggerMock._getLogs().error, (_key, value: unknown) =>
      value instanceof Error ? [value.message, value.stack, Object.entries(value)] : value,
    ),
  };
};

test.each([
  ["a refused connection", withCode("ECONNREFUSED")],
  ["a database that stops", withCode("57P01")],
  ["a store that fails", withCode("SLP_STORE_UNAVAILABLE")],
  ["an error without code", new Error("Connection terminated unexpectedly")],
  ["a deadlock that a query met", failQuery(withCode("40P01"))],
])("%s is a 503, and the client may try again", async (_name, error) => {
  expect(await throws(error)).toMatchObject({
    status: 503,
    headers: { "retry-after": "5" },
    body: { error: { code: "unavailable", message: expect.stringContaining("try again") } },
  });
});

test.each([
  ["22003", 400],
  ["22021", 400],
  ["23503", 409],
  ["23505", 409],
])("%s of PostgreSQL is a %d", async (code, status) => {
  expect(await throws(failQuery(withCode(code)))).toMatchObject({ status });
});

test("any other error is a fault", async () => {
  expect(await throws(withCode("42P01"))).toMatchObject({ status: 500 });
});

test("the parameters of a query are not logged", async () => {
  const { log } = await throws(failQuery(new Error("No")));
  expect(log).toContain("Failed query: SELECT $1");
  expect(log).toContain("to-http-error.test.ts");
  expect(log).not.toContain("a secret");
});
