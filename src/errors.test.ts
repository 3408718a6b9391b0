import { expect, test } from "vitest";
import { RequestError, suggest } from "./errors.ts";

test.each([
  ["bodylimit", ["bodyLimit", "bodyIdleTimeout"], "bodyLimit"],
  ["bodyLimits", ["bodyLimit"], "bodyLimit"],
  ["boyLmt", ["bodyLimit"], "bodyLimit"],
  ["odyLimit", ["bodyLimit"], "bodyLimit"],
  ["metod", ["input", "method", "output"], "method"],
  ["htp", ["cors", "http", "https"], "http"],
  ["htttps", ["http", "https"], "https"],
  ["xors", ["cors"], "cors"],
  ["GTE", ["get", "put"], "get"],
])("for %s of %j it suggests %s", (wrong, known, name) => {
  expect(suggest(wrong, known)).toBe(` Did you mean \`${name}\`?`);
});

test.each([
  ["limit", ["bodyLimit"]],
  ["boyLm", ["bodyLimit"]],
  ["xyz", ["get", "put"]],
  ["path", ["cors"]],
  ["", ["on"]],
  ["x", []],
  ["xxxhttp", ["http"]],
  ["httpxxx", ["http"]],
  ["xxxxmethod", ["method"]],
  ["methodxxxx", ["method"]],
])("for %s of %j it suggests nothing", (wrong, known) => {
  expect(suggest(wrong, known)).toBe("");
});

test("a fault of a request is shown with its cause, and the name of a field cut at a hundred characters", () => {
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
] as const)("the connection after %s is ended: %s", (code, endsConnection) => {
  expect(new RequestError(code)).toMatchObject({ endsConnection });
});
