import { EndpointsFactory, ResultHandler, defaultEndpointsFactory as factory } from "sallyport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "./harness.ts";

afterEach(() => void vi.restoreAllMocks());

const many = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`key${index}`, index]));
const others = Object.fromEntries(Object.entries(many).filter(([key]) => key !== "key2"));
const shape = Object.fromEntries(Object.keys(many).map((key) => [key, z.number()]));

/** Sends a body with many keys, and counts how often the framework lists these keys. */
const post = async (
  input: z.ZodObject,
  {
    path = "/a",
    sent = many,
    from = factory,
  }: { path?: string; sent?: object; from?: object } = {},
) => {
  const listed = vi.spyOn(Object, "keys");
  const bodies: unknown[] = [];
  const inputs: object[] = [];
  const endpoint = (from as typeof factory).build({
    method: "post",
    input,
    handler: ({ input: seen, request }) => {
      bodies.push(request.body);
      inputs.push(seen);
      return {};
    },
  });
  const server = await start({ a: endpoint, "b/:id": endpoint });
  let answer = await server.send(path, { method: "POST", body: sent });
  // repeated until the schema is hot
  for (let turn = 0; turn < 10; turn++)
    answer = await server.send(path, { method: "POST", body: sent });
  const body = bodies.at(-1);
  const count = listed.mock.calls.filter(([of]) => of === body && body !== undefined).length;
  return { answer, body, seen: inputs.at(-1), count };
};

describe("a large body that is the only non-empty source", () => {
  test.each([
    ["a loose schema", z.looseObject({}), many],
    ["a strict schema", z.strictObject(shape), many],
    ["a catchall of numbers", z.object({}).catchall(z.number()), many],
    ["a schema that strips unknown keys", z.object({ key1: z.number() }), { key1: 1 }],
    ["a schema with a refinement", z.looseObject({}).refine((all) => delete all["key2"]), others],
    ["an asynchronous schema", z.looseObject({}).refine(async () => true), many],
  ])("is not copied: %s", async (_name, input, expected) => {
    const { answer, body, seen, count } = await post(input);
    expect([answer.status, count]).toEqual([200, 0]);
    expect(seen).toEqual(expected);
    expect(body).toEqual(many);
    expect(body).not.toBe(seen);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  });

  test("is copied if another source has fields", async () => {
    const { seen, body, count } = await post(z.looseObject({}), { path: "/b/7" });
    expect(seen).toEqual({ ...many, id: "7" });
    expect(body).toEqual(many);
    expect(count).toBeGreaterThan(0);
  });

  test("has no prototype while it is parsed", async () => {
    const input = z.looseObject({
      toString: z.string().optional(),
      constructor: z.any().optional(),
    });
    const { answer, seen } = await post(input);
    expect(answer.status).toBe(200);
    expect(Object.hasOwn(seen as object, "toString")).toBe(false);
    expect((await post(z.object({ toString: z.string() }) as never)).answer.status).toBe(400);
  });

  test("gets its prototype back if it is rejected", async () => {
    const prototypes: unknown[] = [];
    const from = factory.use((request, response, next) => {
      response.on("finish", () => prototypes.push(Object.getPrototypeOf(request.body)));
      next();
    });
    const { answer } = await post(z.strictObject({}), { from });
    expect(answer.status).toBe(400);
    await expect.poll(() => prototypes).toEqual(Array(11).fill(Object.prototype));
  });

  test("is copied if a middleware has frozen it", async () => {
    const from = factory.addMiddleware({
      body: true,
      handler: ({ request }) => void Object.freeze(request.body),
    });
    expect((await post(z.looseObject({}), { from })).seen).toEqual(many);
  });

  test("reaches a custom result handler as a copy", async () => {
    const inputs: unknown[] = [];
    const own = new ResultHandler({
      positive: (data) => data,
      negative: z.object({}),
      handler: ({ input, response }) => {
        inputs.push(input);
        response.json({});
      },
    });
    const { body } = await post(z.looseObject({}), { from: new EndpointsFactory(own) });
    expect(inputs.at(-1)).toEqual(many);
    expect(inputs.at(-1)).not.toBe(body);
  });
});
