import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  defaultEndpointsFactory as factory,
  Middleware,
  problemEndpointsFactory,
  ez,
  type ErrorEnvelope,
  type DefaultResultHandler,
  type ErrorEnvelopeWithData,
} from "../../index.ts";
import type { Encoded, ProblemResultHandler, EmptyObject, ResponseBody } from "../../types.ts";

type TypesOf<E extends { readonly "~types"?: unknown }> = NonNullable<E["~types"]>;

const taken = { description: "Taken", schema: z.object({ field: z.string() }) };

describe("statuses and errors of endpoints", () => {
  test("are part of the endpoint's type, separately from those of middlewares", () => {
    const login = new Middleware({ errors: { 401: "Log in" }, handler: () => ({ user: 1 }) });
    const endpoint = factory
      .addMiddleware(login)
      .addMiddleware({ errors: { 429: "Slow down" }, handler: () => undefined })
      .build({
        statusCode: 201,
        errors: { 404: "No such user", 409: taken },
        handler: ({ ctx }) => ({ user: ctx.user }),
      });
    type Types = TypesOf<typeof endpoint>;
    expectTypeOf<Types["statusCode"]>().toEqualTypeOf<201>();
    expectTypeOf<keyof Types["errors"]>().toEqualTypeOf<404 | 409>();
    expectTypeOf<Types["errors"][409]["schema"]>().toEqualTypeOf<typeof taken.schema>();
    expectTypeOf<keyof Types["middlewareErrors"]>().toEqualTypeOf<401 | 429>();
  });

  test("are unrestricted if none are declared", () => {
    const endpoint = factory.build({ handler: () => ({}) });
    expectTypeOf<TypesOf<typeof endpoint>["statusCode"]>().toEqualTypeOf<number>();
    expectTypeOf<TypesOf<typeof endpoint>["errors"]>().toEqualTypeOf<EmptyObject>();
    const empty = problemEndpointsFactory.buildVoid({ statusCode: 204, handler: () => 1 });
    expectTypeOf<TypesOf<typeof empty>["statusCode"]>().toEqualTypeOf<204>();
  });

  test("are type-checked where they are declared", () => {
    // @ts-expect-error -- a declaration needs a description
    factory.build({ errors: { 404: { schema: z.object({}) } }, handler: () => ({}) });
    // @ts-expect-error -- not a number
    factory.build({ statusCode: "201", handler: () => ({}) });
  });

  test("determine the type of an error's body, including its data", () => {
    type Default = NonNullable<DefaultResultHandler["~types"]>["negative"];
    expectTypeOf<ResponseBody<Default>>().toEqualTypeOf<ErrorEnvelope>();
    type WithData = ResponseBody<Default, never, { field: string }>;
    expectTypeOf<WithData["error"]["data"]>().toEqualTypeOf<{ field: string }>();
    expectTypeOf<WithData>().toExtend<ErrorEnvelopeWithData<{ field: string }>>();
    type Problem = NonNullable<ProblemResultHandler["~types"]>["negative"];
    expectTypeOf<ResponseBody<Problem, never, number>["data"]>().toEqualTypeOf<number>();
    expectTypeOf<ResponseBody<Problem>["status"]>().toEqualTypeOf<number>();
  });
});

test("ez.encode swaps the input and output types of its schema", () => {
  const user = z.object({ bornOn: ez.dateIn(), name: z.string().optional() });
  const encoded = ez.encode(user);
  expectTypeOf(encoded).toEqualTypeOf<Encoded<typeof user>>();
  expectTypeOf<z.input<typeof encoded>>().toEqualTypeOf<z.output<typeof user>>();
  expectTypeOf<z.output<typeof encoded>>().toEqualTypeOf<z.input<typeof user>>();
  factory.build({
    method: "post",
    input: user,
    output: z.object({ user: encoded }),
    handler: ({ input }) => ({ user: input }),
  });
  // @ts-expect-error -- the handler must return the schema's output, a Date
  factory.build({ output: encoded, handler: () => ({ bornOn: "2026-11-21" }) });
});
