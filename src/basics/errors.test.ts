import { inspect } from "node:util";
import { expect, test } from "vitest";
import { ConfigError, RequestError } from "./errors.ts";

test("a request error keeps its cause, and its message cuts off a field name after a hundred characters", () => {
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
] as const)("%s ends the connection: %s", (code, endsConnection) => {
  expect(new RequestError(code)).toMatchObject({ endsConnection });
});

test("an error for a developer shows the section of the documentation that explains it", () => {
  const error = new ConfigError("SLP_CONFIG_VALUE", "no");
  expect(inspect(error)).toMatch(/see: 'https:.+\/sallyport\/errors#slp_config_value'/);
  expect(new RequestError("SLP_NOT_FOUND")).not.toHaveProperty("see");
});
