import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  ResultHandler,
  type DefaultResultHandler,
  type ErrorEnvelope,
  type SuccessEnvelope,
} from "../../index.ts";
import type { ResponseBody } from "../../types.ts";

type Positive<
  Handler extends { readonly "~types"?: { readonly positive: unknown } },
  Output,
> = ResponseBody<NonNullable<Handler["~types"]>["positive"], Output>;

test("the default body of a success contains the endpoint's output", () => {
  expectTypeOf<Positive<DefaultResultHandler, { id: number }>>().toEqualTypeOf<
    SuccessEnvelope<{ id: number }>
  >();
  expectTypeOf<
    ResponseBody<NonNullable<DefaultResultHandler["~types"]>["negative"]>
  >().toEqualTypeOf<ErrorEnvelope>();
});

test("the bodies that a custom result handler sends are inferred from its declarations", () => {
  const handler = new ResultHandler({
    positive: (data) => [
      { schema: z.object({ ok: z.literal(true), items: z.array(data) }), statusCode: [200, 201] },
      { schema: z.object({ accepted: z.boolean() }), statusCode: 202 },
    ],
    negative: z.object({ ok: z.literal(false), why: z.string() }),
    handler: () => undefined,
  });
  expectTypeOf<Positive<typeof handler, { id: number }>>().toEqualTypeOf<
    { ok: true; items: { id: number }[] } | { accepted: boolean }
  >();
});

test("a reply must have the body of one of the declarations", () => {
  const negative = z.object({ ok: z.literal(false), why: z.string() });
  const handlers = [
    new ResultHandler({
      positive: (data) => z.object({ ok: z.literal(true), data }),
      negative,
      reply: ({ output, error }) => {
        expectTypeOf(output).toEqualTypeOf<Readonly<Record<string, unknown>> | null>();
        return { body: error ? { ok: false, why: error.message } : { ok: true, data: output } };
      },
    }),
    new ResultHandler({
      positive: (data) => z.object({ ok: z.literal(true), data }),
      negative,
      // @ts-expect-error -- an error has `why`
      reply: ({ output, error }) => ({ body: error ? { ok: false } : { ok: true, data: output } }),
    }),
    // @ts-expect-error -- neither reply nor handler
    new ResultHandler({ positive: negative, negative }),
  ];
  expectTypeOf(handlers).toBeArray();
});
