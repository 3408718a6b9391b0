import { defaultEndpointsFactory as factory } from "../../index.ts";
import { idempotency, memoryStore } from "./index.ts";
import { expectTypeOf, test } from "vitest";

const store = memoryStore();

test("the scope sees the context of the factory, and only that", () => {
  const asUser = factory.addContext(async () => ({ user: { id: 1 } }));
  asUser.addMiddleware(
    idempotency({
      store,
      scope: ({ ctx }) => {
        expectTypeOf(ctx).toEqualTypeOf<{ user: { id: number } }>();
        return ctx.user.id;
      },
    }),
  );
  // @ts-expect-error -- the factory provides no user
  factory.addMiddleware(idempotency({ store, scope: ({ ctx }) => ctx.user.id }));
});

test("handlers find the key in the context, and the scope has an input of unknown fields", () => {
  const once = idempotency({
    store,
    scope: ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<Readonly<Record<string, unknown>>>();
      return String(input["tenant"]);
    },
  });
  factory.addMiddleware(once).build({
    handler: async ({ ctx }) => {
      expectTypeOf(ctx).toEqualTypeOf<{ readonly idempotencyKey: string | undefined }>();
      return {};
    },
  });
});
