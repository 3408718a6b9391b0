import type { Request, Response } from "express";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  Middleware,
  type Logger,
} from "../../index.ts";
import type { Passed } from "../../types.ts";

interface Transaction {
  readonly query: (sql: string) => Promise<unknown>;
}
declare const pool: {
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
};

describe("an `around` middleware", () => {
  test("adds the fields passed to `next` to the context", () => {
    const inTransaction = new Middleware({
      around: (_args, next) => pool.transaction((tx) => next({ tx })),
    });
    factory
      .addContext(() => ({ user: "ada" }))
      .addMiddleware(inTransaction)
      .build({
        handler: async ({ ctx }) => {
          expectTypeOf(ctx).toEqualTypeOf<{ user: string; tx: Transaction }>();
          return {};
        },
      });
  });

  test("adds nothing to the context if it passes nothing to `next`", () => {
    factory.addMiddleware({ around: async (_args, next) => next() }).buildVoid({
      handler: ({ ctx }) => expectTypeOf(ctx).toEqualTypeOf<{}>(),
    });
  });

  test("receives the context so far and its own input, which is added to the handler's input", () => {
    factory
      .addContext(() => ({ user: "ada" }))
      .addMiddleware({
        input: z.object({ tenant: z.string().transform(Number) }),
        around: async ({ input, ctx, logger, signal }, next) => {
          expectTypeOf(input).toEqualTypeOf<{ tenant: number }>();
          expectTypeOf(ctx).toEqualTypeOf<{ user: string }>();
          expectTypeOf(logger).toEqualTypeOf<Logger>();
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
          const passed = await next({ schema: `tenant_${input.tenant}` });
          expectTypeOf(passed).toEqualTypeOf<Passed<{ schema: string }>>();
          return passed;
        },
      })
      .build({
        input: z.object({ id: z.string() }),
        handler: async ({ input, ctx }) => {
          expectTypeOf(input).toEqualTypeOf<{ tenant: number; id: string }>();
          expectTypeOf(ctx).toEqualTypeOf<{ user: string; schema: string }>();
          return {};
        },
      });
  });

  test("must return the value that `next` resolves to", () => {
    // @ts-expect-error -- the result of `next` is not returned, so the context would be unknown
    void new Middleware({ around: async (_args, next) => void (await next({ a: 1 })) });
    // @ts-expect-error -- `next` is not called at all
    void new Middleware({ around: async () => ({ a: 1 }) });
    // @ts-expect-error -- an array cannot be merged into the context
    void new Middleware({ around: async (_args, next) => next([1]) });
    // @ts-expect-error -- only one of `handler` and `around` is allowed
    void new Middleware({
      handler: async () => ({}),
      around: async (_args, next) => next(),
    });
  });

  test("works with event streams as well", () => {
    new EventStreamFactory({ time: z.number() })
      .addMiddleware({ around: async (_args, next) => next({ one: 1 }) })
      .addContext((ctx) => ({ two: ctx.one + 1 }), {
        dispose: (given) => expectTypeOf(given).toEqualTypeOf<{ two: number }>(),
      })
      .build({
        handler: ({ ctx }) => expectTypeOf(ctx.one + ctx.two).toEqualTypeOf<number>(),
      });
  });
});

describe("addContext", () => {
  test("passes `dispose` the value that its own function returned, and no other context", () => {
    factory
      .addContext(() => ({ user: "ada" }))
      .addContext(async (ctx) => ({ connection: { of: ctx.user } }), {
        dispose: async (given) => {
          expectTypeOf(given).toEqualTypeOf<{ connection: { of: string } }>();
        },
      })
      .buildVoid({
        handler: ({ ctx }) =>
          expectTypeOf(ctx).toEqualTypeOf<{ user: string; connection: { of: string } }>(),
      });
    // @ts-expect-error -- there is no such option
    factory.addContext(() => ({}), { disposal: () => undefined });
  });
});

describe("a native middleware", () => {
  test("keeps the types of its own request and response", () => {
    type AuthRequest = Request & { auth: { sub: string } };
    type LocalResponse = Response<unknown, { nonce: string }>;
    const native = (
      _request: AuthRequest,
      _response: LocalResponse,
      next: (error?: unknown) => void,
    ) => next();
    factory
      .use(native, {
        body: true,
        provider: async (request, response) => {
          expectTypeOf(request).toEqualTypeOf<AuthRequest>();
          return { sub: request.auth.sub, nonce: response.locals.nonce };
        },
        transformer: (error) => Object.assign(error, { statusCode: 401 }),
      })
      .use((_request, _response, next) => next())
      .buildVoid({
        handler: ({ ctx }) => expectTypeOf(ctx).toEqualTypeOf<{ sub: string; nonce: string }>(),
      });
  });

  test("must be a single function with three parameters", () => {
    // @ts-expect-error -- a function with four parameters is an error handler
    factory.use((_error: Error, _request: Request, _response: Response, _next: () => void) => {});
    factory.use(
      (_request, _response, next) => next(),
      // @ts-expect-error -- only one middleware per call
      (_request: Request, _response: Response, next: () => void) => next(),
    );
    // @ts-expect-error -- there is no such option
    factory.use((_request, _response, next) => next(), { provide: () => ({}) });
    // @ts-expect-error -- an array cannot be merged into the context
    factory.use((_request, _response, next) => next(), { provider: () => [1] });
  });
});

describe("options for the body and for time limits", () => {
  test("are accepted and type-checked where they apply", () => {
    factory.addMiddleware({ body: true, handler: async ({ request }) => void request.body });
    void new Middleware({ body: true, around: async (_args, next) => next() });
    factory.build({ timeout: 500, handler: async () => ({}) });
    factory.buildVoid({ timeout: 500, handler: () => undefined });
    // @ts-expect-error -- a time limit must be a number of milliseconds
    factory.build({ timeout: "1s", handler: async () => ({}) });
    // @ts-expect-error -- this option must be true or false
    factory.addMiddleware({ body: "json", handler: async () => undefined });
  });
});
