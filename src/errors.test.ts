import { expect, test } from "vitest";
import { RequestError } from "./errors.ts";

test("a request error has its cause, and a field name of at most a hundred characters in its message", () => {
  const cause = new Error("why");
  const error = new RequestError("SLP_UPLOAD_FILE_TOO_LARGE", { cause, field: "f".repeat(101) });
  expect(error).toMatchObject({ statusCode: 413, expose: true, endsConnection: false, cause });
  expect(error.message).toBe(`File too large: ${"f".repeat(100)}`);
  expect(new RequestError("SLP_NOT_FOUND")).not.toHaveProperty("cause");
});

test.each([
  ["SLP_BODY_TIMEOUT", true],
  ["SLP_HEADER_HOST", true],
  ["SLP_HEADER_TRANSFER_ENCODING", true],
  ["SLP_HEADER_TOO_MANY_FIELDS", true],
  ["SLP_TARGET_MALFORMED", true],
  ["SLP_TARGET_TOO_LONG", true],
  ["SLP_NOT_FOUND", false],
  ["SLP_EXPECTATION", false],
] as const)("whether the connection ends after %s: %s", (code, endsConnection) => {
  expect(new RequestError(code)).toMatchObject({ endsConnection });
});
