import { defaultEndpointsFactory as factory } from "sallyport";
import { toYaml } from "sallyport/openapi";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { generate } from "./generate.ts";

test("a document can be written as YAML, without anchors and folded lines", () => {
  const id = z.string().describe("Which one. ".repeat(20));
  const endpoint = factory.build({ input: z.object({ id }), handler: () => ({}) });
  const document = generate({ a: endpoint, b: endpoint });
  const text = toYaml(document);
  expect(parse(text)).toEqual(document);
  expect(text).not.toMatch(/[&*>]/);
});
