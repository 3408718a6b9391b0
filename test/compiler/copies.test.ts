import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compile, root, writeProgram } from "./compile.ts";

const copy = join(root, "node_modules/.cache/sallyport-compiler/copied-source");

beforeAll(() => {
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(root, "src"), copy, { recursive: true });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("the client accepts the types of a server that has its own copy of the package", () => {
  const program = writeProgram(
    "copies",
    `
import { defaultEndpointsFactory as factory, EndpointsFactory, EventStreamFactory, ez, ResultHandler, type ErrorEnvelope, type SuccessEnvelope } from "sallyport";
import type { Client } from "sallyport/client";
import { z } from "zod";
const custom = new ResultHandler({
  positive: (data) => z.object({ ok: z.literal(true), data }),
  negative: z.object({ ok: z.literal(false) }),
  handler: () => undefined,
});
const routing = {
  plain: factory.build({
    input: z.object({ q: z.string() }),
    output: z.object({ at: z.date() }),
    errors: { 409: { description: "Taken", schema: z.object({ since: z.date() }) } },
    handler: async () => ({ at: new Date() }),
  }),
  pages: factory.build({
    ...ez.paginated({ style: "offset", itemSchema: z.object({ n: z.number() }) }),
    handler: async () => ({ items: [], total: 0, limit: 1, offset: 0 }),
  }),
  clock: new EventStreamFactory({ time: z.date(), end: z.null() }).build({ handler: async () => undefined }),
  custom: new EndpointsFactory(custom).build({ output: z.object({ n: z.number() }), handler: async () => ({ n: 1 }) }),
};
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(is: Same<A, B>) => is;
export const call = async (client: Client<typeof routing>) => {
  for await (const event of client.subscribe("get /clock")) if (event.event === "time") same<typeof event.data, string>(true);
  for await (const item of client.iterate("get /pages")) same<typeof item, { n: number }>(true);
  const body = await client.provide("get /plain", { q: "a" });
  if (body.status === "success") same<typeof body.data, { at: string }>(true);
  const reply = await client.request("get /plain", { q: "a" });
  if (reply.status === 409) same<typeof reply.body.error.data, { since: string }>(true);
  if (reply.status === 404) same<typeof reply.body.error.message, string>(true);
  const other = await client.provide("get /custom");
  if (other.ok) same<typeof other.data, { n: number }>(true);
  const stream = await client.provide("get /clock");
  if (typeof stream === "string") same<typeof stream, "This is an event stream: use \`subscribe\`">(true);
  const assignable: SuccessEnvelope<{ at: string }> | ErrorEnvelope = body;
  return assignable;
};
`,
    copy,
  );
  expect(compile(program)).toEqual([]);
});
