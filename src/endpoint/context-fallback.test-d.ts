import { expectTypeOf, test } from "vitest";
import { defaultEndpointsFactory as factory } from "../index.ts";

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
