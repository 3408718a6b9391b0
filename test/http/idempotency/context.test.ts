import { defaultEndpointsFactory as factory } from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "../harness.ts";

test("handlers find the key in the context, without its quotes", async () => {
  const once = factory.addMiddleware(idempotency({ store: memoryStore(), scope: () => "ada" }));
  const handler = ({ ctx }: { readonly ctx: { readonly idempotencyKey: string | undefined } }) => ({
    keys: [ctx.idempotencyKey, "idempotencyKey" in ctx],
  });
  const a = once.build({ method: ["get", "post"], handler });
  const server = await start({ a });
  const ask = async (method: string, key?: string) =>
    (
      await server.send("/a", {
        method,
        headers: key === undefined ? {} : { "idempotency-key": key },
      })
    ).json();
  expect(await ask("POST", "k-1")).toEqual(successEnvelope({ keys: ["k-1", true] }));
  expect(await ask("POST", '"k\\"2"')).toEqual(successEnvelope({ keys: ['k"2', true] }));
  expect(await ask("POST")).toEqual(successEnvelope({ keys: [null, true] }));
  expect(await ask("GET", "k-1")).toEqual(successEnvelope({ keys: [null, true] }));
});

test("the scope sees the validated input of the middlewares and of the endpoint", async () => {
  const seen: unknown[] = [];
  const once = factory
    .addMiddleware({ input: z.object({ tenant: z.string() }), handler: () => undefined })
    .addMiddleware(
      idempotency({
        store: memoryStore(),
        scope: ({ input }) => {
          seen.push(input);
          return String(input["tenant"]);
        },
      }),
    );
  const pay = once.build({
    method: "post",
    input: z.object({ amount: z.number(), note: z.string().default("") }),
    handler: ({ input }) => input,
  });
  const server = await start({ pay });
  const send = (tenant: string) =>
    server.send("/pay", {
      method: "POST",
      headers: { "idempotency-key": "k", "content-type": "application/json" },
      body: JSON.stringify({ tenant, amount: 1, more: true }),
    });
  const expected = { amount: 1, note: "" };
  expect((await send("a")).json()).toEqual(successEnvelope({ tenant: "a", ...expected }));
  expect((await send("b")).json()).toEqual(successEnvelope({ tenant: "b", ...expected }));
  expect((await send("a")).headers["idempotency-replayed"]).toBe("true");
  expect(seen).toEqual(["a", "b", "a"].map((tenant) => ({ tenant, ...expected })));
});
