import { z } from "zod";
import { defaultEndpointsFactory as factory, EventStreamFactory } from "../../index.ts";
import { rateLimit, type RateLimitState } from "./rate-limit.ts";
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

test("the context is inferred for asynchronous functions, weights and event streams, too", () => {
  const id = async ({ user }: { user: { id: string } }): Promise<string> => user.id;
  asUser.addMiddleware(
    rateLimit({
      limit: 1,
      weight: ({ ctx }) => ctx.user.id.length,
      key: async ({ ctx }) => id(ctx),
    }),
  );
  new EventStreamFactory({ a: z.string() }, { factory: asUser }).addMiddleware(
    rateLimit({ limit: 1, key: ({ ctx }) => ctx.user.id }),
  );
});

test("the input is that of the schema, which handlers receive, too", () => {
  const byMail = rateLimit({
    limit: 1,
    input: z.object({ email: z.string(), n: z.coerce.number() }),
    key: ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<{ email: string; n: number }>();
      return input.email;
    },
  });
  asUser.addMiddleware(byMail).build({
    handler: async ({ input, ctx }) => {
      expectTypeOf(input).toEqualTypeOf<{ email: string; n: number }>();
      return { id: ctx.user.id };
    },
  });
  asUser.addMiddleware(
    rateLimit({
      limit: 1,
      input: z.object({ email: z.string() }),
      key: ({ input, ctx }) => `${ctx.user.id} ${input.email}`,
    }),
  );
  // @ts-expect-error -- there is no such field
  rateLimit({ limit: 1, input: z.object({ a: z.string() }), key: ({ input }) => input.b });
  // @ts-expect-error -- there is no input
  rateLimit({ limit: 1, key: ({ input }) => input.a });
});

test("handlers find the limit in the context", () => {
  factory.addMiddleware(rateLimit({ limit: 1 })).build({
    handler: async ({ ctx }) => {
      expectTypeOf(ctx.rateLimit).toEqualTypeOf<RateLimitState | undefined>();
      return {};
    },
  });
});
