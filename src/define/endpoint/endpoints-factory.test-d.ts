import type { Request as ExpressRequest, Response } from "express";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  defaultEndpointsFactory,
  EndpointsFactory,
  Middleware,
  ResultHandler,
  type DefaultResultHandler,
  type Logger,
  type Request,
} from "../../index.ts";
import type { Endpoint, ReturnedObject } from "../../types.ts";

const factory = defaultEndpointsFactory;

const keyMiddleware = new Middleware({
  input: z.object({ key: z.string().transform((key) => key.length) }),
  handler: async ({ input }) => {
    expectTypeOf(input).toEqualTypeOf<{ key: number }>();
    return { user: { id: input.key } };
  },
});

describe("a handler's arguments", () => {
  test("are inferred exactly", () => {
    factory.build({
      input: z.object({ id: z.string().transform(Number), tag: z.string().optional() }),
      output: z.object({ ok: z.boolean() }),
      handler: async ({ input, ctx, logger, request, response, signal }) => {
        expectTypeOf(input).toEqualTypeOf<{ id: number; tag?: string | undefined }>();
        expectTypeOf(ctx).toEqualTypeOf<{}>();
        expectTypeOf(logger).toEqualTypeOf<Logger>();
        expectTypeOf(request).toEqualTypeOf<Request>();
        expectTypeOf(request).toExtend<ExpressRequest>();
        expectTypeOf(response).toEqualTypeOf<Response>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        return { ok: true };
      },
    });
  });

  test("have an empty input if no schema is declared", () => {
    factory.build({
      handler: async ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<{}>();
        // @ts-expect-error -- there is no such field
        void input.id;
        return {};
      },
    });
  });

  test("have the types that result from .and(), unions, refinements and transformations to another object", () => {
    const a = z.object({ a: z.string() });
    factory.buildVoid({
      input: a.and(z.object({ b: z.coerce.number() })),
      handler: ({ input }) => expectTypeOf(input).toEqualTypeOf<{ a: string } & { b: number }>(),
    });
    factory.build({
      input: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("x"), x: z.string() }),
        z.object({ kind: z.literal("y"), y: z.number() }),
      ]),
      handler: ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<{ kind: "x"; x: string } | { kind: "y"; y: number }>();
      },
    });
    factory.buildVoid({
      input: a.refine(({ a: text }) => text !== ""),
      handler: ({ input }) => expectTypeOf(input).toEqualTypeOf<{ a: string }>(),
    });
    factory.buildVoid({
      input: a.transform(({ a: text }) => ({ length: text.length })),
      handler: ({ input }) => expectTypeOf(input).toEqualTypeOf<{ length: number }>(),
    });
    factory.buildVoid({
      input: z.record(z.string(), z.number()),
      handler: ({ input }) => expectTypeOf(input).toEqualTypeOf<Record<string, number>>(),
    });
  });
});

describe("middlewares", () => {
  test("add their fields to the input and their results to the context", () => {
    factory
      .addMiddleware(keyMiddleware)
      .addMiddleware({
        input: z.object({ page: z.coerce.number() }),
        handler: async ({ ctx, input }) => {
          expectTypeOf(ctx).toEqualTypeOf<{ user: { id: number } }>();
          expectTypeOf(input).toEqualTypeOf<{ page: number }>();
          return { isFirst: input.page === 1 };
        },
      })
      .build({
        input: z.object({ name: z.string() }),
        handler: async ({ input, ctx }) => {
          expectTypeOf(input).toEqualTypeOf<{ key: number; page: number; name: string }>();
          expectTypeOf(ctx).toEqualTypeOf<{ user: { id: number }; isFirst: boolean }>();
          // @ts-expect-error -- no middleware adds this field
          void ctx.missing;
          return {};
        },
      });
  });

  test("are overridden by fields that the endpoint declares, and by the context of later middlewares", () => {
    factory
      .addMiddleware(keyMiddleware)
      .addContext(() => ({ user: "replaced" }))
      .build({
        input: z.object({ key: z.string() }),
        handler: async ({ input, ctx }) => {
          expectTypeOf(input).toEqualTypeOf<{ key: string }>();
          expectTypeOf(ctx).toEqualTypeOf<{ user: string }>();
          return {};
        },
      });
  });

  test("may require context from earlier middlewares", () => {
    const greeting = new Middleware({
      handler: async ({ ctx }: { ctx: { user: { id: number } } }) => ({
        greeting: `Hi ${ctx.user.id}`,
      }),
    });
    factory
      .addMiddleware(keyMiddleware)
      .addMiddleware(greeting)
      .build({
        handler: ({ ctx }) => {
          expectTypeOf(ctx).toEqualTypeOf<{ user: { id: number }; greeting: string }>();
        },
      });
    // @ts-expect-error -- nothing has added `user` so far
    factory.addMiddleware(greeting);
  });

  test("that return nothing require no more context than they declare", () => {
    interface User {
      readonly role: string;
    }
    const staffOnly = new Middleware<{ user: User }>({
      handler: ({ ctx }) => {
        expectTypeOf(ctx).toEqualTypeOf<{ user: User }>();
        if (ctx.user.role !== "staff") throw new Error("Staff only");
      },
    });
    factory
      .addContext(() => ({ user: { role: "staff" } }))
      .addMiddleware(staffOnly)
      .buildVoid({
        handler: ({ ctx }) => expectTypeOf(ctx).toEqualTypeOf<{ user: { role: string } }>(),
      });
    void new Middleware<{ user: User }>({
      // @ts-expect-error -- the returned type would be lost: annotate `ctx`, or pass that type as well
      handler: async ({ ctx }) => ({ isStaff: ctx.user.role === "staff" }),
    });
    const named = new Middleware<{ user: User }, { isStaff: boolean }>({
      handler: async ({ ctx }) => ({ isStaff: ctx.user.role === "staff" }),
    });
    const annotated = new Middleware({
      input: z.object({ as: z.string().transform(Number) }),
      handler: async ({ input, ctx }: { input: { as: number }; ctx: { user: User } }) => ({
        isStaff: ctx.user.role === "staff" && input.as > 0,
      }),
    });
    const asUser = factory.addContext(() => ({ user: { role: "staff" } }));
    asUser.addMiddleware(named).buildVoid({
      handler: ({ ctx }) =>
        expectTypeOf(ctx).toEqualTypeOf<{ user: { role: string }; isStaff: boolean }>(),
    });
    asUser.addMiddleware(annotated).buildVoid({
      handler: ({ input, ctx }) => {
        expectTypeOf(input).toEqualTypeOf<{ as: number }>();
        expectTypeOf(ctx).toEqualTypeOf<{ user: { role: string }; isStaff: boolean }>();
      },
    });
  });

  test("that return an object of unknown type add nothing to the context", () => {
    factory.addMiddleware({ handler: async (): Promise<ReturnedObject> => ({}) }).buildVoid({
      handler: ({ ctx }) => expectTypeOf(ctx).toEqualTypeOf<{}>(),
    });
  });

  test("return an object or nothing", () => {
    factory.addMiddleware({ handler: async () => undefined }).buildVoid({
      handler: ({ ctx }) => expectTypeOf(ctx).toEqualTypeOf<{}>(),
    });
    factory
      .addMiddleware({ handler: async () => (Math.random() > 0.5 ? { maybe: 1 } : undefined) })
      .buildVoid({
        handler: ({ ctx }) => expectTypeOf(ctx).toEqualTypeOf<{ maybe?: number }>(),
      });
    // @ts-expect-error -- an array cannot be merged into the context
    factory.addMiddleware({ handler: async () => [1] });
    // @ts-expect-error -- a string cannot be merged into the context
    factory.addMiddleware({ handler: async () => "text" });
  });

  test("written for Express add context through their provider", () => {
    factory
      .use((_request, _response, next) => next(), {
        provider: (request) => ({ ip: request.ip }),
      })
      .buildVoid({
        handler: ({ ctx }) => expectTypeOf(ctx).toEqualTypeOf<{ ip: string | undefined }>(),
      });
  });

  test("provide the context so far to addContext", () => {
    factory
      .addContext(() => ({ one: 1 }))
      .addContext(async (ctx) => {
        expectTypeOf(ctx).toEqualTypeOf<{ one: number }>();
        return { two: ctx.one + 1 };
      })
      .buildVoid({
        handler: ({ ctx }) => expectTypeOf(ctx).toEqualTypeOf<{ one: number; two: number }>(),
      });
  });
});

describe("a handler's result", () => {
  test("is checked against the output schema, and literals need no `as const`", () => {
    factory.build({
      output: z.object({ role: z.enum(["admin", "member"]), at: z.date().transform(String) }),
      handler: async ({ logger }) => {
        logger.debug("literals take their types from the output schema");
        return { role: "admin", at: new Date() };
      },
    });
    factory.build({
      output: z.object({ role: z.enum(["admin", "member"]) }),
      // @ts-expect-error -- not a role
      handler: async () => ({ role: "guest" }),
    });
    factory.build({
      output: z.object({ count: z.number() }),
      // @ts-expect-error -- the field is missing
      handler: async () => ({}),
    });
  });

  test("may be any kind of object, but not an array or a primitive", () => {
    factory.build({ output: z.record(z.string(), z.number()), handler: async () => ({ a: 1 }) });
    factory.build({
      output: z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]),
      handler: async () => ({ b: 1 }),
    });
    factory.build({
      output: z.object({ a: z.string() }).and(z.object({ b: z.string() })),
      handler: async () => ({ a: "", b: "" }),
    });
    factory.build({
      output: z.preprocess((value) => value, z.object({ a: z.string() })),
      handler: async () => ({ a: "" }),
    });
    type Tree = { name: string; children: Tree[] };
    const tree: z.ZodType<Tree> = z.lazy(() =>
      z.object({ name: z.string(), children: z.array(tree) }),
    );
    factory.build({ output: tree, handler: async () => ({ name: "", children: [] }) });
    // @ts-expect-error -- an endpoint must return an object
    factory.build({ output: z.array(z.string()), handler: async () => [] });
    // @ts-expect-error -- an endpoint must return an object
    factory.build({ output: z.string(), handler: async () => "" });
    // @ts-expect-error -- the input of an endpoint must be an object
    factory.build({ input: z.array(z.string()), handler: async () => ({}) });
  });

  test("may be the response, if the handler has sent it", () => {
    const output = z.object({ role: z.enum(["admin", "member"]) });
    factory.build({ output, handler: async ({ response }) => response.status(204).end() });
    factory.build({
      output,
      handler: ({ request, response }) => {
        if (request.fresh) return response.status(304).end();
        if (request.path === "/old") {
          response.redirect("/new");
          return response;
        }
        return { role: "admin" };
      },
    });
    factory.build({
      output,
      // @ts-expect-error -- nothing is returned, probably by mistake
      handler: async ({ response }) => void response.status(204).end(),
    });
    factory.build({
      output,
      // @ts-expect-error -- one branch returns nothing
      handler: ({ request }) => (request.fresh ? undefined : { role: "admin" }),
    });
  });

  test("may be any object, or nothing, if no output schema is declared", () => {
    factory.build({ handler: async () => ({ anything: true }) });
    factory.build({ handler: async () => undefined });
    // @ts-expect-error -- an endpoint must return an object
    factory.build({ handler: async () => "text" });
  });
});

describe("an endpoint", () => {
  test("carries its method, schemas, middleware input and result handler", () => {
    const input = z.object({ id: z.string() });
    const output = z.object({ ok: z.boolean() });
    const endpoint = factory
      .addMiddleware(keyMiddleware)
      .build({ method: ["get", "post"], input, output, handler: async () => ({ ok: true }) });
    expectTypeOf(endpoint).toEqualTypeOf<
      Endpoint<"get" | "post", typeof input, typeof output, { key: string }, DefaultResultHandler>
    >();
  });

  test("accepts only known methods", () => {
    // @ts-expect-error -- not a method that an endpoint may declare
    factory.build({ method: "head", handler: async () => ({}) });
    // @ts-expect-error -- methods are written in lower case
    factory.build({ method: "GET", handler: async () => ({}) });
  });
});

describe("a result handler", () => {
  test("receives either an output or an error", () => {
    const resultHandler = new ResultHandler({
      positive: (data) => ({ schema: z.object({ ok: z.literal(true), data }) }),
      negative: z.object({ ok: z.literal(false) }),
      handler: ({ output, error }) => {
        if (error) {
          expectTypeOf(output).toEqualTypeOf<null>();
          expectTypeOf(error.statusCode).toEqualTypeOf<number | undefined>();
        } else {
          expectTypeOf(output).toEqualTypeOf<Readonly<Record<string, unknown>>>();
        }
      },
    });
    expectTypeOf(new EndpointsFactory(resultHandler)).toExtend<
      EndpointsFactory<unknown, {}, {}, typeof resultHandler>
    >();
  });
});
