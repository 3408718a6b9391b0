import { defaultEndpointsFactory as factory } from "../index.ts";
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
