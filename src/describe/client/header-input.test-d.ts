import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory } from "../../index.ts";
import { idempotency, memoryStore } from "../../parts/idempotency/index.ts";
import { mutationOptions, queryOptions } from "../tanstack-query/index.ts";
import { createClient } from "./index.ts";

const fields = z.object({ "if-match": z.string(), "x-count": z.coerce.number().optional() });
const routing = {
  write: factory.build({
    method: "put",
    headers: fields,
    responseHeaders: z.object({ etag: z.string(), location: z.string().optional() }),
    handler: async () => ({}),
  }),
  read: factory.build({
    headers: z.object({ "if-none-match": z.string().optional() }),
    input: z.object({ id: z.string() }),
    handler: async () => ({}),
  }),
};

/** Creates a client. It is never called, because only its types are checked. */
const create = () => createClient<typeof routing>({ baseUrl: "" });

describe("declared header fields in an inferred client", () => {
  test("are required where the endpoint requires them", () => {
    const calls = (client: ReturnType<typeof create>) => [
      client.provide("put /write", {}, { headers: { "if-match": '"1"' } }),
      client.provide("put /write", {}, { headers: { "if-match": '"1"', "x-count": 5 } }),
      client.provide("put /write", {}, { headers: async () => ({ "if-match": '"1"' }) }),
      client.provide("put /write", {}, { headers: { "if-match": '"1"', "x-other": "a" } }),
      client.provide("get /read", { id: "1" }),
      client.provide("get /read", { id: "1" }, { timeout: 5 }),
      client.provide("get /read", { id: "1" }, { headers: { "if-none-match": '"1"' } }),
      // @ts-expect-error -- the header field is missing
      client.provide("put /write"),
      // @ts-expect-error -- the header field is missing
      client.provide("put /write", {}),
      // @ts-expect-error -- the header field is missing
      client.provide("put /write", {}, { headers: {} }),
      // @ts-expect-error -- a header field is a string
      client.provide("put /write", {}, { headers: { "if-match": 1 } }),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  test("are not required where a middleware requires them, because a client may give them once", () => {
    const tenant = z.object({ "x-tenant": z.string() });
    const shared = factory.addMiddleware({ headers: tenant, handler: async () => ({}) });
    const shop = {
      all: shared.build({ handler: async () => ({}) }),
      one: shared.build({ headers: tenant, handler: async () => ({}) }),
    };
    const calls = (client: ReturnType<typeof createClient<typeof shop>>) => [
      client.provide("get /all"),
      client.provide("get /all", {}, { headers: { "x-tenant": "a" } }),
      client.provide("get /one", {}, { headers: { "x-tenant": "a" } }),
      // @ts-expect-error -- the endpoint declares it as well
      client.provide("get /one"),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  test("of replies are strings, or null where they are optional", () => {
    const call = async (client: ReturnType<typeof create>) => {
      const reply = await client.request("put /write", {}, { headers: { "if-match": '"1"' } });
      if (!reply.ok) return expectTypeOf(reply.headers.get("etag")).toEqualTypeOf<string | null>();
      expectTypeOf(reply.headers.get("location")).toEqualTypeOf<string | null>();
      expectTypeOf(reply.headers.get("other")).toEqualTypeOf<string | null>();
      return expectTypeOf(reply.headers.get("etag")).toEqualTypeOf<string>();
    };
    expectTypeOf(call).toBeFunction();
  });
});

describe("the key of idempotency({ required: true })", () => {
  const store = memoryStore();
  const keyed = factory.addMiddleware(idempotency({ store, scope: () => "all", required: true }));
  const optional = factory.addMiddleware(idempotency({ store, scope: () => "all" }));
  const shop = {
    orders: {
      post: keyed.build({ method: "post", handler: async () => ({}) }),
      get: keyed.build({ handler: async () => ({}) }),
      put: keyed.build({
        method: "put",
        headers: z.object({ "x-a": z.string() }),
        handler: async () => ({}),
      }),
      patch: keyed.build({
        method: "patch",
        headers: z.object({ "x-a": z.string() }),
        handler: async () => ({}),
      }),
      delete: optional.build({ method: "delete", handler: async () => ({}) }),
    },
  };
  const key = { "idempotency-key": "a" };

  test("is required by calls that write", () => {
    const client = () => createClient<typeof shop>({ baseUrl: "" });
    const calls = () => [
      client().provide("post /orders", {}, { headers: key }),
      client().provide("put /orders", {}, { headers: { ...key, "x-a": "a" } }),
      client().provide("get /orders"),
      client().provide("delete /orders"),
      mutationOptions(client(), "post /orders", { headers: key }),
      queryOptions(client(), "get /orders"),
      // @ts-expect-error -- the key is missing
      client().provide("post /orders"),
      // @ts-expect-error -- the key is missing
      client().request("post /orders", {}, { headers: {} }),
      // @ts-expect-error -- the key is missing
      client().provide("put /orders", {}, { headers: { "x-a": "a" } }),
      // @ts-expect-error -- the key is missing
      mutationOptions(client(), "post /orders"),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  test("is sent by a client with `idempotency: true`, with POST and PATCH", () => {
    const client = () => createClient<typeof shop>({ baseUrl: "", idempotency: true });
    const calls = () => [
      client().provide("post /orders"),
      client().provide("post /orders", {}, { headers: key }),
      client().provide("patch /orders", {}, { headers: { "x-a": "a" } }),
      client().provide("put /orders", {}, { headers: { ...key, "x-a": "a" } }),
      mutationOptions(client(), "post /orders"),
      // @ts-expect-error -- such a client attaches no key to PUT
      client().provide("put /orders", {}, { headers: { "x-a": "a" } }),
      // @ts-expect-error -- another field is missing
      client().provide("patch /orders", {}, { headers: key }),
    ];
    expectTypeOf(calls).toBeFunction();
    const general: ReturnType<typeof createClient<typeof shop>> = client();
    void general;
  });
});
