import { expect, test } from "vitest";
import { z } from "zod";
import { ensureHttpError, getMessageFromError } from "./http-error.ts";

test("an error created by Zod, which is not an Error, keeps its message", () => {
  const error = new z.ZodError([
    { code: "custom", path: ["a", 1], message: "bad", input: undefined },
  ]);
  expect(getMessageFromError(error)).toBe("a[1]: bad");
  expect(ensureHttpError(error)).toMatchObject({ message: "a[1]: bad", statusCode: 500 });
});

test("ensureHttpError uses the headers of an error only if they are an object", () => {
  const withHeaders = (headers: unknown): Error => Object.assign(new Error("x"), { headers });
  expect(ensureHttpError(withHeaders({ "X-A": "b" })).headers).toEqual({ "X-A": "b" });
  for (const headers of ["X-A: b", null, 5])
    expect(ensureHttpError(withHeaders(headers))).not.toHaveProperty("headers");
});

test("an HTTP error keeps the original error as its cause", () => {
  const error = new Error("x");
  expect(ensureHttpError(error).cause).toBe(error);
});
