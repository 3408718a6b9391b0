import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory } from "../../index.ts";

const isMember: boolean = Math.random() > 2;
const text = factory.addMiddleware({ handler: async () => ({ x: "text", y: 1 }) });

test("a field that a middleware may replace has either type", () => {
  text.addMiddleware({ handler: async () => (isMember ? { x: 1 } : undefined) }).build({
    handler: async ({ ctx }) => {
      expectTypeOf(ctx).toEqualTypeOf<{ y: number; x: string | number }>();
      return {};
    },
  });
  text.addMiddleware({ handler: async (): Promise<{ x?: number }> => ({}) }).build({
    handler: async ({ ctx }) => {
      expectTypeOf(ctx).toEqualTypeOf<{ y: number; x: string | number }>();
      return {};
    },
  });
  text.addMiddleware({ handler: async () => (isMember ? { x: 1 } : { z: 1 }) }).build({
    handler: async ({ ctx }) => {
      expectTypeOf(ctx.x).toEqualTypeOf<string | number>();
      return {};
    },
  });
});

test("a context may have an index signature, beside which declared fields keep their types", () => {
  const claims = factory.addMiddleware({
    handler: async (): Promise<{ [name: string]: unknown; user: string }> => ({ user: "ada" }),
  });
  const more = claims.addContext(async () => ({ tenant: 1 }));
  more.build({
    input: z.looseObject({ a: z.string() }),
    handler: async ({ ctx, input }) => {
      expectTypeOf(ctx.user).toBeString();
      expectTypeOf(ctx.tenant).toBeNumber();
      expectTypeOf(ctx["sub"]).toBeUnknown();
      expectTypeOf(input.a).toBeString();
      return {};
    },
  });
  const keyed = factory.addMiddleware({
    input: z.object({ key: z.string() }),
    handler: async () => {},
  });
  keyed.build({
    input: z.looseObject({ a: z.string() }),
    handler: async ({ input }) => {
      expectTypeOf(input.a).toBeString();
      return {};
    },
  });
});

test("a context of unknown names leaves declared fields their types", () => {
  text.addMiddleware({ handler: async (): Promise<Record<string, string>> => ({}) }).build({
    handler: async ({ ctx }) => {
      expectTypeOf(ctx.y).not.toBeAny();
      expectTypeOf(ctx["other"]).not.toBeAny();
      return {};
    },
  });
});

test("a handler has no `this`", () => {
  async function run(this: { readonly count: number }): Promise<{ count: number }> {
    return { count: this.count };
  }
  // @ts-expect-error -- the function needs an object
  factory.build({ handler: run });
  // @ts-expect-error -- the function needs an object
  factory.addMiddleware({ handler: run });
});
