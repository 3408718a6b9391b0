import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  arrayEndpointsFactory,
  arrayResultHandler,
  problemEndpointsFactory,
  ResultHandler,
  type ProblemDetails,
  type Result,
} from "../../index.ts";
import type {
  ArrayResultHandler,
  Endpoint,
  ProblemResultHandler,
  ResponseBody,
} from "../../types.ts";

type Declared<Handler extends { readonly "~types"?: object }> = NonNullable<Handler["~types"]>;
type Positive<
  Handler extends { readonly "~types"?: { readonly positive: unknown } },
  Output,
> = ResponseBody<Declared<Handler>["positive"], Output>;
type Negative<Handler extends { readonly "~types"?: { readonly negative: unknown } }> =
  ResponseBody<Declared<Handler>["negative"]>;

test("ProblemResultHandler sends the bare output on success, and problem details on error", () => {
  expectTypeOf<Positive<ProblemResultHandler, { id: number }>>().toEqualTypeOf<{ id: number }>();
  expectTypeOf<Negative<ProblemResultHandler>>().toMatchTypeOf<ProblemDetails>();
  expectTypeOf<Negative<ProblemResultHandler>["detail"]>().toEqualTypeOf<string>();
});

test("ArrayResultHandler sends the array of items for a success, and a string for an error", () => {
  expectTypeOf<Positive<ArrayResultHandler, { items: { id: number }[] }>>().toEqualTypeOf<
    { id: number }[]
  >();
  expectTypeOf<Positive<ArrayResultHandler, { total: number }>>().toEqualTypeOf<never>();
  expectTypeOf<Negative<ArrayResultHandler>>().toEqualTypeOf<string>();
});

test("a result handler that sends lists as arrayResultHandler does has the same type of a success", () => {
  const lists = new ResultHandler({
    positive: (data) => arrayResultHandler.listPositive(data),
    negative: z.object({ error: z.string() }),
    handler: (result: Result<{ readonly items: readonly unknown[] }>) =>
      arrayResultHandler.handle(result),
  });
  type Lists = typeof lists;
  expectTypeOf<Positive<Lists, { items: { id: number }[] }>>().toEqualTypeOf<{ id: number }[]>();
});

test("endpoints carry the result handler of their factory, even behind middlewares", () => {
  const output = z.object({ items: z.array(z.string()) });
  const lists = arrayEndpointsFactory
    .addContext(() => ({ user: "ada" }))
    .build({ output, handler: ({ ctx }) => ({ items: [ctx.user] }) });
  const problems = problemEndpointsFactory.build({ output, handler: () => ({ items: [] }) });
  type HandlerOf<E> =
    E extends Endpoint<infer _M, infer _I, infer _O, infer _N, infer Handler> ? Handler : never;
  expectTypeOf<HandlerOf<typeof lists>>().toEqualTypeOf<ArrayResultHandler>();
  expectTypeOf<HandlerOf<typeof problems>>().toEqualTypeOf<ProblemResultHandler>();
});
