import type { Schema } from "@sallyport/document";
import { defaultEndpointsFactory } from "sallyport";
import { expect, test } from "vitest";
import { z } from "zod";
import { readApi } from "../src/verify/operation.ts";
import { listUndeclared } from "../src/verify/undeclared.ts";

const toObject = (properties: Record<string, Schema>, others?: Schema): Schema => ({
  ...{ types: ["object"], properties },
  ...(others && { additionalProperties: others }),
});

test("a field that is not declared is found beside further ones of any name", () => {
  const inner = toObject({ x: {} });
  const open = toObject({ a: inner }, {});
  expect(listUndeclared([open], { a: { x: 1, secret: 2 } })).toEqual(["/a/secret"]);
  const entries: Schema = { types: ["object"], additionalProperties: toObject({ y: {} }) };
  const union: Schema = { anyOf: [toObject({ a: inner }), entries] };
  expect(listUndeclared([union], { a: { y: 1 } })).toEqual([]);
});

test("objects of this framework have no further fields, unless their schema takes them", () => {
  const output = z.object({
    ...{ loose: z.looseObject({ a: z.string() }), none: z.object({}), any: z.unknown() },
    ...{ record: z.record(z.string(), z.object({ b: z.number() })) },
    both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
  });
  const endpoint = defaultEndpointsFactory.build({ output, handler: () => ({}) as never });
  const { operations } = readApi({ "/": endpoint }, {});
  const schema = operations[0]?.replies[200]?.content["application/json"] ?? {};
  const list = (data: object) => listUndeclared([schema], { status: "success", data });
  expect(operations[0]?.key).toBe("get /");
  expect(list({ loose: { a: "", z: 1 }, any: { z: 1 }, record: { z: { b: 1 } } })).toEqual([]);
  expect(list({ none: { z: 1 } })).toEqual(["/data/none/z"]);
  expect(list({ record: { z: { y: 1 } } })).toEqual(["/data/record/z/y"]);
  expect(list({ both: { a: "", b: "", z: 1 } })).toEqual(["/data/both/z"]);
});
