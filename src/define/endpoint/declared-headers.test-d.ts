import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory } from "./endpoints-factory.ts";
import { EventStreamFactory } from "./event-stream-factory.ts";
import { Middleware } from "./middleware.ts";

const headers = z.object({ "if-match": z.string().optional(), "x-count": z.coerce.number() });

interface Parsed {
  readonly "if-match"?: string | undefined;
  readonly "x-count": number;
}

describe("declared header fields", () => {
  test("type the argument `headers` of handlers", () => {
    factory.build({
      headers,
      input: z.object({ a: z.string() }),
      handler: async ({ headers: given, input }) => {
        expectTypeOf(given).toExtend<Parsed>();
        expectTypeOf(given["x-count"]).toEqualTypeOf<number>();
        expectTypeOf(input).toEqualTypeOf<{ a: string }>();
        // @ts-expect-error -- not declared
        return { other: given["x-other"] };
      },
    });
    factory.buildVoid({
      headers,
      handler: ({ headers: given }) => expectTypeOf(given["x-count"]).toEqualTypeOf<number>(),
    });
    new EventStreamFactory({ a: z.string() }).build({
      headers,
      handler: async ({ headers: given }) =>
        expectTypeOf(given["if-match"]).toEqualTypeOf<string | undefined>(),
    });
  });

  test("of a middleware type that middleware alone", () => {
    const middleware = new Middleware({
      headers,
      handler: async ({ headers: given }) => ({ count: given["x-count"] }),
    });
    factory.addMiddleware(middleware).build({
      handler: async ({ ctx, headers: given }) => {
        expectTypeOf(ctx).toEqualTypeOf<{ count: number }>();
        // @ts-expect-error -- declared by the middleware
        return { count: given["x-count"] };
      },
    });
    factory.addMiddleware({
      headers,
      around: async ({ headers: given }, next) => next({ count: given["x-count"] }),
    });
  });

  test("are none by default", () => {
    factory.build({
      handler: async ({ headers: given }) => {
        // @ts-expect-error -- not declared
        return { a: given["if-match"] };
      },
    });
  });

  test("are an object schema", () => {
    // @ts-expect-error -- a string is no object
    factory.build({ headers: z.string(), handler: async () => ({}) });
    // @ts-expect-error -- an array is no object
    factory.build({ responseHeaders: z.array(z.string()), handler: async () => ({}) });
  });
});
