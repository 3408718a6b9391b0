import createHttpError from "http-errors";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../describe/client/index.ts";
import { idempotency, memoryStore } from "../../parts/idempotency/index.ts";
import {
  createConfig,
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  Middleware,
  problemEndpointsFactory,
  ResultHandler,
  EndpointsFactory,
  type ApiError,
} from "../../index.ts";

const until = z.object({ until: z.string().transform(Number) });
const declared = {
  404: "No such book",
  409: { description: "Taken", schema: z.object({ stock: z.number() }) },
  soldOut: { status: 410, description: "Sold out", schema: until },
  closed: { status: 410, description: "Closed" },
} as const;

describe("`errors` of a handler", () => {
  test("has what the endpoint declares, with the data that a schema takes", () => {
    factory.build({
      errors: declared,
      handler: ({ errors }) => {
        expectTypeOf<keyof typeof errors>().toEqualTypeOf<404 | 409 | "closed" | "soldOut">();
        expectTypeOf(errors[404]()).toEqualTypeOf<ApiError>();
        errors[404]({ message: "Gone", headers: { "x-a": "b" }, cause: new Error() });
        errors[409]({ data: { stock: 1 } });
        // the schema's input, which is parsed before it is sent
        errors.soldOut({ message: "Later", data: { until: "5" } });
        // @ts-expect-error -- misspelt
        void (() => errors[409]({ data: { stok: 1 } }));
        // @ts-expect-error -- the wrong type
        void (() => errors[409]({ data: { stock: "many" } }));
        // @ts-expect-error -- data is needed
        void (() => errors[409]());
        // @ts-expect-error -- declared without data
        void (() => errors[404]({ data: 1 }));
        // @ts-expect-error -- not declared
        void (() => errors[403]());
        // @ts-expect-error -- not declared
        void (() => errors.unknown());
        throw errors.closed();
      },
    });
  });

  test("is empty without declarations, and the handler may have no use for it", () => {
    factory.build({
      handler: ({ errors }) => {
        expectTypeOf<keyof typeof errors>().toEqualTypeOf<never>();
        return {};
      },
    });
    factory.build({ errors: declared, handler: async () => ({}) });
    factory.build({
      errors: declared,
      handler: async () => {
        throw createHttpError(404);
      },
    });
  });

  test("has what middlewares declare, and the endpoint's own declaration of the same key", () => {
    factory
      .addMiddleware({ errors: { 401: "Log in", 409: "Busy" }, handler: () => ({ user: 1 }) })
      .addMiddleware(idempotency({ store: memoryStore(), scope: () => "me" }))
      .build({
        errors: declared,
        handler: ({ errors, ctx }) => {
          expectTypeOf<keyof typeof errors>().toEqualTypeOf<
            401 | 404 | 409 | "closed" | "soldOut"
          >();
          errors[409]({ data: { stock: ctx.user } });
          throw errors[401]();
        },
      });
  });

  test("has the statuses that the result handler declares", () => {
    const handler = new ResultHandler({
      positive: (data) => data,
      negative: [
        { statusCode: [404, 410], schema: z.object({}) },
        { statusCode: 500, schema: z.object({}) },
      ],
      handler: () => undefined,
    });
    new EndpointsFactory(handler).buildVoid({
      errors: { late: { status: 408, description: "Late" } },
      handler: ({ errors }) => {
        expectTypeOf<keyof typeof errors>().toEqualTypeOf<404 | 410 | 500 | "late">();
      },
    });
  });

  test("is that of a middleware, of `around`, of a stream, and of `onError`", () => {
    const errors = { busy: { status: 503, description: "Busy" } } as const;
    void new Middleware({
      errors,
      handler: ({ errors: own }) => {
        expectTypeOf<keyof typeof own>().toEqualTypeOf<"busy">();
        throw own.busy();
      },
    });
    factory.addMiddleware({
      errors,
      around: async ({ errors: own }, next) => {
        if (Math.random() > 1) throw own.busy();
        return next();
      },
    });
    new EventStreamFactory({ time: z.number() }).build({
      errors,
      handler: ({ errors: own }) => {
        throw own.busy();
      },
    });
    const mapped = factory
      .addMiddleware({ errors: { 401: "Log in" }, handler: () => undefined })
      .onError({
        errors,
        handler: ({ error, errors: own }) => {
          expectTypeOf<keyof typeof own>().toEqualTypeOf<401 | "busy">();
          return error.message === "busy" ? own.busy({ cause: error }) : undefined;
        },
      });
    mapped.build({
      handler: ({ errors: own }) => {
        throw own.busy();
      },
    });
    createConfig({
      cors: false,
      onError: {
        errors,
        handler: ({ error, errors: own }) => {
          expectTypeOf(error).toEqualTypeOf<Error>();
          return own.busy();
        },
      },
    });
    // @ts-expect-error -- an error, or nothing
    factory.onError({ handler: () => 5 });
  });
});

test("a key of `errors` is an error status, or a name with a status", () => {
  const handler = () => ({});
  factory.build({ errors: { 404: "", 599: "", 450: "" }, handler });
  // @ts-expect-error -- "The status of an error is 400 to 599"
  factory.build({ errors: { 200: "Fine" }, handler });
  // @ts-expect-error -- "An error that is declared under a name needs a `status`"
  factory.build({ errors: { taken: "Taken" }, handler });
  // @ts-expect-error -- the same
  factory.build({ errors: { taken: { description: "Taken" } }, handler });
  const wide = { taken: { status: 409, description: "Taken" } };
  // @ts-expect-error -- "The `status` must be known to the compiler: declare it in place, or with `as const`"
  factory.build({ errors: wide, handler });
  // @ts-expect-error -- the same
  void (() => new Middleware({ errors: { 302: "Elsewhere" }, handler }));
  // @ts-expect-error -- the same
  factory.onError({ errors: { 302: "Elsewhere" }, handler: () => undefined });
});

describe("named errors in a client", () => {
  const build = { errors: declared, handler: async () => ({}) };
  const routing = {
    plain: factory.build(build),
    problem: problemEndpointsFactory.build(build),
    once: factory
      .addMiddleware(idempotency({ store: memoryStore(), scope: () => "me" }))
      .build({ method: "post", handler: async () => ({}) }),
  };

  test("are told apart by `code`", () => {
    void (async () => {
      const client = createClient<typeof routing>({ baseUrl: "" });
      const reply = await client.request("get /plain");
      if (reply.status === 410) {
        const { error } = reply.body;
        expectTypeOf(error.code).toEqualTypeOf<"closed" | "soldOut">();
        if (error.code === "soldOut") expectTypeOf(error.data).toEqualTypeOf<{ until: number }>();
      }
      if (reply.status === 409) expectTypeOf(reply.body.error.data.stock).toEqualTypeOf<number>();
      const problem = await client.request("get /problem");
      if (problem.status === 410)
        expectTypeOf(problem.body.code).toEqualTypeOf<"closed" | "soldOut">();
      const once = await client.request("post /once", {});
      if (once.status === 422)
        expectTypeOf(once.body.error.code).toEqualTypeOf<
          "SLP_IDEMPOTENCY_INPUT" | "SLP_IDEMPOTENCY_NO_REPLY"
        >();
    });
  });
});
