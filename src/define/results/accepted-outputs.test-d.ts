import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  arrayEndpointsFactory,
  createConfig,
  defaultEndpointsFactory,
  EndpointsFactory,
  ez,
  ResultHandler,
  type Result,
  type ResultError,
} from "../../index.ts";

interface Table {
  readonly rows: readonly (readonly string[])[];
  readonly title?: string | undefined;
}

const csv = new ResultHandler({
  positive: { schema: z.string(), mimeType: "text/csv" },
  negative: { schema: z.string(), mimeType: "text/plain" },
  handler: ({ error, output, response }: Result<Table>) => {
    if (error) {
      expectTypeOf(error).toEqualTypeOf<ResultError>();
      expectTypeOf(output).toEqualTypeOf<null>();
    } else {
      expectTypeOf(output).toEqualTypeOf<Table>();
      response.send(output.rows.map((row) => row.join(",")).join("\n"));
    }
  },
});
const factory = new EndpointsFactory(csv);
const rows = z.array(z.array(z.string()));

describe("a result handler that declares the outputs it accepts", () => {
  test("accepts endpoints with such outputs, even behind middlewares", () => {
    factory.build({ output: z.object({ rows }), handler: async () => ({ rows: [["a"]] }) });
    factory
      .addContext(() => ({ user: "ada" }))
      .build({
        output: z.object({ rows, title: z.string(), more: z.number() }),
        handler: async ({ ctx }) => ({ rows: [[ctx.user]], title: "", more: 1 }),
      });
  });

  test("checks the type that an output schema returns, not the type that it accepts", () => {
    factory.build({
      output: z.object({ rows: z.string().transform((text) => [[text]]) }),
      handler: async () => ({ rows: "a" }),
    });
    factory.build({
      output: z.object({ rows: rows.transform(String) }),
      // @ts-expect-error -- a string is sent
      handler: async () => ({ rows: [["a"]] }),
    });
  });

  test("rejects other endpoints", () => {
    factory.build({
      output: z.object({ rows: z.array(z.array(z.number())) }),
      // @ts-expect-error -- the rows contain numbers
      handler: async () => ({ rows: [[1]] }),
    });
    factory.build({
      output: z.object({ total: z.number() }),
      // @ts-expect-error -- the output has no rows
      handler: async () => ({ total: 1 }),
    });
    // @ts-expect-error -- `{}` has no rows
    factory.buildVoid({ handler: () => undefined });
  });

  test("accepts such outputs from handlers without an output schema", () => {
    factory.build({ handler: async () => ({ rows: [["a"]] }) });
    // @ts-expect-error -- the output has no rows
    factory.build({ handler: async () => ({}) });
    // @ts-expect-error -- nothing is returned
    factory.build({ handler: async () => undefined });
  });

  test("does not check responses that bypass it", () => {
    factory.build({ output: ez.file("text/csv"), handler: async () => "/table.csv" });
    factory.build({ output: ez.buffer("text/csv"), handler: async () => Buffer.of(1) });
    factory.build({
      output: ez.stream("text/csv"),
      handler: async function* () {
        yield "a,b";
      },
    });
    factory.build({
      output: z.custom<{ total: number }>(),
      // @ts-expect-error -- only content such as a file bypasses the result handler
      handler: async () => ({ total: 1 }),
    });
  });

  test("handles the errors of all endpoints", () => {
    createConfig({ cors: false, errorHandler: csv });
  });
});

test("arrayResultHandler accepts outputs with an array of items", () => {
  arrayEndpointsFactory.build({
    output: z.object({ items: z.array(z.number()), total: z.number() }),
    handler: async () => ({ items: [1], total: 1 }),
  });
  arrayEndpointsFactory.build({
    output: z.object({ total: z.number() }),
    // @ts-expect-error -- the output has no items
    handler: async () => ({ total: 1 }),
  });
  // @ts-expect-error -- the output has no items
  arrayEndpointsFactory.buildVoid({ handler: () => undefined });
});

test("a result handler that declares no outputs accepts any object", () => {
  const any = new ResultHandler({
    positive: (data) => ({ schema: data }),
    negative: z.string(),
    handler: ({ output }) =>
      expectTypeOf(output).toEqualTypeOf<Readonly<Record<string, unknown>> | null>(),
  });
  const output = z.object({ a: z.string() });
  new EndpointsFactory(any).build({ output, handler: async () => ({ a: "" }) });
  new EndpointsFactory(any).buildVoid({ handler: () => undefined });
  defaultEndpointsFactory.build({ output, handler: async () => ({ a: "" }) });
});
