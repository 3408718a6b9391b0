import { expect, test } from "vitest";
import { Schemas } from "../src/verify/schemas.ts";

test("a field that is not declared is found beside further ones of any name", () => {
  const inner = { type: "object", properties: { x: {} } };
  const open = { type: "object", properties: { a: inner }, additionalProperties: {} };
  const schemas = new Schemas({});
  expect(schemas.listUndeclared([open], { a: { x: 1, secret: 2 } })).toEqual(["/a/secret"]);
  const entries = {
    type: "object",
    additionalProperties: { type: "object", properties: { y: {} } },
  };
  const union = { anyOf: [{ type: "object", properties: { a: inner } }, entries] };
  expect(schemas.listUndeclared([union], { a: { y: 1 } })).toEqual([]);
});
