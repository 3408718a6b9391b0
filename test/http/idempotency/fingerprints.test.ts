import { defaultEndpointsFactory as factory, ez, Middleware } from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { start, type TestServer } from "../harness.ts";

const withKey = () => factory.addMiddleware(idempotency({ store: memoryStore(), scope: () => 1 }));

/** Sends two requests with one key; returns what the second one receives. */
const sendBoth = async (server: TestServer, first: string, second: string, type: string) => {
  const headers = { "idempotency-key": "k", "content-type": type };
  const send = (body: string) => server.send("/a", { method: "POST", headers, body });
  expect((await send(first)).status).toBe(200);
  const { status, headers: fields } = await send(second);
  return status === 200 && fields["idempotency-replayed"] === "true" ? "replayed" : status;
};

test.each([
  ['{"a":null}', '{"a":1e400}', 422],
  ['{"a":-1e400}', '{"a":1e400}', 422],
  ['{"a":[null]}', '{"a":[1e400]}', 422],
  ['{"a":null}', "{}", 422],
  ['{"a":null}', '{"a":"null"}', 422],
  ['{"a":true}', '{"a":"true"}', 422],
  ['{"a":[]}', '{"a":{}}', 422],
  ['{"a":[1]}', '{"a":{"0":1}}', 422],
  ['{"a":"1,2"}', '{"a":[1,2]}', 422],
  ['{"a":"\\",\\"b\\":\\""}', '{"a":"","b":""}', 422],
  ['{"a":{"toJSON":"x","b":1}}', '{"a":{"toJSON":"x","b":2}}', 422],
  ['{"a":{"type":"Buffer","data":[1]}}', '{"a":{"type":"Buffer","data":[2]}}', 422],
  ['{"a":-0}', '{"a":0}', "replayed"],
  ['{"a":1.0}', '{"a":1}', "replayed"],
  ['{"a":{"10":1,"9":2}}', '{"a":{"9":2,"10":1}}', "replayed"],
])("of two requests with one key, %s and %s, the second receives %s", async (one, two, outcome) => {
  const a = withKey().build({ method: "post", input: z.looseObject({}), handler: () => ({}) });
  const server = await start({ a });
  expect(await sendBoth(server, one, two, "application/json")).toBe(outcome);
});

test("bytes are compared as bytes, and never written as numbers", async () => {
  const write = vi.spyOn(Buffer.prototype, "toJSON");
  onTestFinished(() => write.mockRestore());
  const a = withKey().build({
    method: "post",
    input: ez.raw(),
    output: z.object({ length: z.number() }),
    handler: ({ input }) => ({ length: input.raw.length }),
  });
  const server = await start({ a });
  const type = "application/octet-stream";
  expect(await sendBoth(server, "one", "one", type)).toBe("replayed");
  expect(await sendBoth(server, "one", "two", type)).toBe(422);
  expect(write).not.toHaveBeenCalled();
});

test("what a parser of the application's own returns is compared: bytes within, dates, and nothing", async () => {
  const bodies: unknown[] = [];
  const parse = new Middleware({
    handler: ({ request }) => {
      request.body = bodies.shift();
    },
  });
  const a = factory
    .addMiddleware(parse)
    .addMiddleware(idempotency({ store: memoryStore(), scope: () => 1 }))
    .build({ method: "post", handler: () => ({}) });
  const server = await start({ a });
  const send = async (key: string, ...both: unknown[]) => {
    bodies.push(...both);
    const headers = { "idempotency-key": key };
    await server.send("/a", { method: "POST", headers });
    return (await server.send("/a", { method: "POST", headers })).status;
  };
  expect(await send("a", { list: [Buffer.from("a")] }, { list: [Buffer.from("a")] })).toBe(200);
  expect(await send("b", { list: [Buffer.from("a")] }, { list: [Buffer.from("b")] })).toBe(422);
  expect(await send("c", { at: new Date(0) }, { at: new Date(0) })).toBe(200);
  expect(await send("d", { at: new Date(0) }, { at: new Date(1) })).toBe(422);
  expect(await send("e", { list: [undefined] }, { list: [null] })).toBe(422);
  expect(await send("f", { amount: Number.NaN }, { amount: null })).toBe(422);
});
