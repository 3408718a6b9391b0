import { EventEmitter, once } from "node:events";
import { MemoryStore } from "express-rate-limit";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory } from "sallyport";
import { rateLimit } from "sallyport/rate-limit";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

/** Serves an endpoint that replies with the status in the query. */
const serve = async (limit: ReturnType<typeof rateLimit>) => {
  const endpoint = factory.addMiddleware(limit).build({
    input: z.object({ status: z.coerce.number() }),
    handler: ({ input, ctx }) => {
      if (input.status >= 400) throw createHttpError(input.status);
      return { ...ctx.rateLimit };
    },
  });
  const server = await start({ "get /a": endpoint });
  return async (status: number) => (await server.send(`/a?status=${status}`)).status;
};

test("with count: failures, only replies with a status of 400 or more count", async () => {
  const ask = await serve(rateLimit({ limit: 2, count: "failures" }));
  for (let sent = 0; sent < 5; sent++) expect(await ask(200)).toBe(200);
  expect(await ask(401)).toBe(401);
  expect(await ask(200)).toBe(200);
  expect(await ask(500)).toBe(500);
  expect(await ask(200)).toBe(429);
});

test("with count: failures, refused requests do not count, and a weight is given back as a whole", async () => {
  const store = new MemoryStore();
  const decrement = vi.spyOn(store, "decrement");
  const ask = await serve(rateLimit({ limit: 3, count: "failures", weight: 2, store }));
  expect([await ask(200), await ask(400), await ask(200), await ask(200)]).toEqual([
    ...[200, 400, 429, 429],
  ]);
  await vi.waitFor(() => expect(decrement).toHaveBeenCalledTimes(6));
});

test("with count: failures, a request counts while it runs, and if its client leaves before the reply", async () => {
  const ends = new EventEmitter();
  const limited = factory.addMiddleware(rateLimit({ limit: 1, count: "failures" }));
  const endpoint = limited.build({
    handler: async () => {
      await once(ends, "end");
      return {};
    },
  });
  const server = await start({ "get /a": endpoint });
  const leaving = await server.open();
  const arrived = server.untilRequest();
  leaving.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
  await arrived;
  expect((await server.send("/a")).status).toBe(429);
  leaving.destroy();
  await server.untilLeft();
  ends.emit("end");
  expect((await server.send("/a")).status).toBe(429);
});

test("with count: failures, a store that does not give back is logged", async () => {
  const store = new MemoryStore();
  vi.spyOn(store, "decrement").mockRejectedValue(new Error("down"));
  const limited = factory.addMiddleware(rateLimit({ limit: 9, count: "failures", store }));
  const server = await start({ "get /a": limited.build({ handler: () => ({}) }) });
  expect((await server.send("/a")).status).toBe(200);
  await vi.waitFor(() =>
    expect(server.linesOf("error").map(({ message }) => message)).toEqual([
      "The store of a rate limit fails, so requests are let through",
    ]),
  );
});

test("handlers find in the context what the header field says", async () => {
  const limited = factory.addMiddleware(rateLimit({ limit: 5, weight: 2 }));
  const server = await start({ "get /a": limited.build({ handler: ({ ctx }) => ctx }) });
  expect((await server.send("/a")).json()).toMatchObject({
    data: { rateLimit: { limit: 5, remaining: 3, reset: 60 } },
  });
});

test("the context has no limit if the request was not counted", async () => {
  const limited = factory.addMiddleware(rateLimit({ limit: 5, weight: 0 }));
  const server = await start({ "get /a": limited.build({ handler: ({ ctx }) => ctx }) });
  expect((await server.send("/a")).json()).toMatchObject({ data: {} });
});

test("the key sees the input that the limit declares, also in the body", async () => {
  const limited = factory
    .addMiddleware({ input: z.object({ tenant: z.string() }), handler: ({ input }) => input })
    .addMiddleware(
      rateLimit({
        limit: 1,
        input: z.object({ email: z.email().toLowerCase() }),
        key: ({ input, ctx }) => `${ctx.tenant} ${input.email}`,
      }),
    );
  const endpoint = limited.build({
    method: "post",
    input: z.object({ password: z.string() }),
    handler: ({ input }) => input,
  });
  const server = await start({ a: endpoint });
  const ask = async (tenant: string, email: string) => {
    const body = JSON.stringify({ tenant, email, password: "p" });
    const headers = { "content-type": "application/json" };
    return (await server.send("/a", { method: "POST", headers, body })).status;
  };
  expect(await ask("a", "Ada@x.example")).toBe(200);
  expect(await ask("a", "ada@x.example")).toBe(429);
  expect(await ask("b", "ada@x.example")).toBe(200);
  expect(await ask("a", "none")).toBe(400);
});

test("options that say what counts are rejected with their name and value", () => {
  const of = (options: object) => () => rateLimit({ limit: 1, ...options });
  expect(of({ count: "errors" })).toThrow(
    'rateLimit: `count` must be one of "all", "failures"; got "errors".',
  );
  expect(of({ input: {} })).toThrow("rateLimit: `input` must be");
  const increment = () => ({ totalHits: 1 });
  expect(of({ store: { increment }, count: "failures" })).toThrow(
    'rateLimit: `store` must be a store with `decrement` for `count: "failures"`',
  );
  expect(of({ store: { increment } })).not.toThrow();
});
