import { defaultEndpointsFactory as factory } from "../index.ts";
import { rateLimit } from "./rate-limit.ts";
import { expectTypeOf, test } from "vitest";

const asUser = factory.addContext(async () => ({ user: { id: "ada" } }));

test("the key sees the context of the factory, and only that", () => {
  const limited = asUser.addMiddleware(
    rateLimit({
      limit: 1,
      key: ({ ctx }) => {
        expectTypeOf(ctx).toEqualTypeOf<{ user: { id: string } }>();
        return ctx.user.id;
      },
    }),
  );
  limited.build({ handler: ({ ctx }) => ({ id: ctx.user.id }) });
  // @ts-expect-error -- the factory provides no user
  factory.addMiddleware(rateLimit({ limit: 1, key: ({ ctx }) => ctx.user.id }));
});
