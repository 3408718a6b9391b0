import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory, EventStreamFactory } from "../../index.ts";
import { createClient } from "./index.ts";

const input = z.object({ id: z.string() });
const output = z.object({ revision: z.number() });
const current = async () => "1";
const handler = () => ({ revision: 1 });

const routing = {
  read: factory.build({ output, version: () => "1", handler }),
  required: factory.build({
    method: "put",
    headers: z.object({ "x-a": z.string().optional() }),
    ifMatch: "required",
    current,
    output,
    version: ({ output: { revision } }) => String(revision),
    handler,
  }),
  optional: factory.build({ method: "put", output, ifMatch: "optional", current, handler }),
  remove: factory.buildVoid({
    method: "delete",
    input,
    ifMatch: "required",
    current,
    handler: () => undefined,
  }),
};

/** Creates a client. It is never called, because only its types are checked. */
const create = () => createClient<typeof routing>({ baseUrl: "" });

describe("the conditions of an endpoint", () => {
  test("give its functions their arguments", () => {
    factory
      .addMiddleware({ input: z.object({ key: z.string() }), handler: () => ({ user: 5 }) })
      .build({
        method: "post",
        input,
        output: z.object({ at: z.iso.datetime() }),
        version: ({ output: { at }, ctx }) => {
          expectTypeOf(at).toEqualTypeOf<string>();
          expectTypeOf(ctx).toEqualTypeOf<{ user: number }>();
          return new Date(at);
        },
        ifMatch: "optional",
        current: ({ input: given, ctx }) => {
          expectTypeOf(given).toEqualTypeOf<{ key: string; id: string }>();
          expectTypeOf(ctx).toEqualTypeOf<{ user: number }>();
          return Math.random() > 0.5 ? new Date() : undefined;
        },
        handler: ({ headers }) => {
          // @ts-expect-error -- the handler need not know
          return { at: headers["if-match"] };
        },
      });
  });

  test("are versions", () => {
    // @ts-expect-error -- not a version
    factory.build({ version: () => 1, handler: () => ({}) });
    // @ts-expect-error -- neither of the two
    factory.build({ ifMatch: "always", current, handler: () => ({}) });
    // @ts-expect-error -- no tag equals a date
    factory.build({ ifMatch: "required", current: () => new Date(), handler: () => ({}) });
    const [handler, version] = [() => ({}), () => new Date()];
    // @ts-expect-error -- no client would receive a tag
    factory.build({ ifMatch: "required", current, version, handler });
    // @ts-expect-error -- nor would it in this order
    factory.build({ handler, version: async () => new Date(), current, ifMatch: "required" });
    factory.build({ ifMatch: "optional", current, version, handler });
    factory.build({ version, handler });
    // @ts-expect-error -- there is no output
    factory.buildVoid({ version: () => "1", handler: () => undefined });
    const streams = new EventStreamFactory({ a: z.string() });
    // @ts-expect-error -- a stream has no version
    streams.build({ ifMatch: "optional", current, handler: () => undefined });
  });

  test("require If-Match in an inferred client where the endpoint does", () => {
    const headers = { "if-match": '"1"' };
    const calls = (client: ReturnType<typeof create>) => [
      client.provide("get /read"),
      client.provide("get /read", {}, { headers: { "if-none-match": '"1"' } }),
      client.provide("put /required", {}, { headers }),
      client.provide("put /required", {}, { headers: { ...headers, "x-a": "a" } }),
      client.provide("delete /remove", { id: "1" }, { headers }),
      client.provide("put /optional"),
      client.provide("put /optional", {}, { headers }),
      // @ts-expect-error -- the header field is missing
      client.provide("put /required"),
      // @ts-expect-error -- the header field is missing
      client.provide("put /required", {}, { headers: {} }),
      // @ts-expect-error -- the header field is missing
      client.provide("delete /remove", { id: "1" }),
      // @ts-expect-error -- a tag is a string
      client.provide("put /optional", {}, { headers: { "if-match": 1 } }),
    ];
    expectTypeOf(calls).toBeFunction();
  });
});
