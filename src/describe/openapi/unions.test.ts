import { expect, test } from "vitest";
import { z } from "zod";
import { addDiscriminator } from "./unions.ts";

const pet = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("cat") }),
  z.object({ kind: z.literal("dog") }),
]);

test.each([
  ["options elsewhere", { anyOf: [{ $ref: "#/a" }, { $ref: "#/b" }] }],
  ["one option alone", { oneOf: [{ $ref: "#/a" }] }],
])("a union with %s has no mapping, which would lead nowhere", (_name, json) => {
  const written = structuredClone(json);
  addDiscriminator(pet, written);
  expect(written).toEqual(json);
});
