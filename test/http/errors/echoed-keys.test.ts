import { defaultEndpointsFactory as factory } from "sallyport";
import { expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const bytes = "<b>x</b>";

test.each<[string, z.ZodType<object>, object]>([
  ["unknown", z.strictObject({}), { [bytes]: 1 }],
  ["a key of a record", z.object({ a: z.record(z.string(), z.int()) }), { a: { [bytes]: "x" } }],
  [
    "an unknown key in one option of a union",
    z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int() })]),
    { a: 1, [bytes]: 1 },
  ],
])("the response does not show a key chosen by the client: %s", async (_name, input, body) => {
  const endpoint = factory.build({ method: "post", input, handler: async () => ({}) });
  const server = await start({ a: endpoint });
  const answer = await server.send("/a", { method: "POST", body });
  expect(answer.status).toBe(400);
  expect(answer.text).not.toContain(bytes);
});

test("the response names a key declared by the schema, whatever its spelling", async () => {
  const input = z.object({ "first name": z.string() });
  const endpoint = factory.build({ method: "post", input, handler: async () => ({}) });
  const server = await start({ a: endpoint });
  const answer = await server.send("/a", { method: "POST", body: { "first name": 1 } });
  expect(answer.json()).toMatchObject({ error: { issues: [{ path: ["first name"] }] } });
});
