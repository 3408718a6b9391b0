import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory, ez } from "../../index.ts";
import type { Cursor } from "../../types.ts";

const user = z.object({ name: z.string(), born: ez.dateOut() });
const secret = "a secret of 32 characters or more";

describe("ez.paginated", () => {
  test("gives the handler numbers, and accepts numbers or strings from a client", () => {
    const { input } = ez.paginated({ style: "offset", itemSchema: user });
    expectTypeOf<z.output<typeof input>>().toEqualTypeOf<{ limit: number; offset: number }>();
    expectTypeOf<z.input<typeof input>>().toEqualTypeOf<{
      limit?: number | string | undefined;
      offset?: number | string | undefined;
    }>();
    const byCursor = ez.paginated({ style: "cursor", itemSchema: user }).input;
    expectTypeOf<z.output<typeof byCursor>>().toEqualTypeOf<{
      limit: number;
      cursor?: string | undefined;
    }>();
    expectTypeOf<z.input<typeof byCursor>>().toEqualTypeOf<{
      limit?: number | string | undefined;
      cursor?: string | undefined;
    }>();
  });

  test("uses the chosen name for the items in the output", () => {
    const { output } = ez.paginated({ style: "offset", itemSchema: user, itemsName: "users" });
    expectTypeOf<z.input<typeof output>>().toEqualTypeOf<{
      users: { name: string; born: Date }[];
      total: number;
      limit: number;
      offset: number;
    }>();
    expectTypeOf<z.output<typeof output>["users"]>().toEqualTypeOf<
      { name: string; born: string }[]
    >();
    const byCursor = ez.paginated({ style: "cursor", itemSchema: z.string() }).output;
    expectTypeOf<z.output<typeof byCursor>>().toEqualTypeOf<{
      items: string[];
      nextCursor: string | null;
      limit: number;
    }>();
  });

  test("accepts an `itemsName` that is not known at compile time", () => {
    const itemsName: string = "users";
    const { output } = ez.paginated({ style: "offset", itemSchema: z.string(), itemsName });
    factory.build({
      output,
      handler: () => ({ [itemsName]: ["x"], total: 1, limit: 1, offset: 0 }),
    });
  });

  test("can be combined with filters, extensions and the fields of middlewares", () => {
    const page = ez.paginated({ style: "offset", itemSchema: z.string(), maxLimit: 50 });
    factory
      .addMiddleware({ input: z.object({ key: z.string() }), handler: async () => ({ by: 1 }) })
      .build({
        input: page.input.and(z.object({ role: z.string().optional() })),
        output: page.output.extend({ took: z.number() }),
        handler: async ({ input, ctx }) => {
          expectTypeOf(input.limit).toBeNumber();
          expectTypeOf(input.offset).toBeNumber();
          expectTypeOf(input.role).toEqualTypeOf<string | undefined>();
          expectTypeOf(input.key).toBeString();
          return { items: [input.key], total: ctx.by, limit: 1, offset: 0, took: 1 };
        },
      });
    expectTypeOf(page.input.extend({ q: z.string() }).shape.q).toEqualTypeOf<z.ZodString>();
    expectTypeOf(page.input.merge(z.object({ q: z.string() })).shape.limit).toEqualTypeOf(
      page.input.shape.limit,
    );
  });

  test("can be wrapped in a custom function", () => {
    const pageOf = <Item extends z.ZodType>(itemSchema: Item) =>
      ez.paginated({ style: "offset", itemSchema, links: true });
    expectTypeOf<z.output<ReturnType<typeof pageOf<z.ZodDate>>["output"]>["items"]>().toEqualTypeOf<
      Date[]
    >();
  });

  test("rejects invalid options with messages that name them", () => {
    // @ts-expect-error -- itemsName "total" is reserved in offset style
    ez.paginated({ style: "offset", itemSchema: user, itemsName: "total" });
    // @ts-expect-error -- itemsName "nextCursor" is reserved in cursor style
    ez.paginated({ style: "cursor", itemSchema: user, itemsName: "nextCursor" });
    // @ts-expect-error -- `cursor` is only allowed in cursor style
    ez.paginated({ style: "offset", itemSchema: user, cursor: ez.cursor(z.int(), { secret }) });
    // @ts-expect-error -- the style is missing
    ez.paginated({ itemSchema: user });
    // @ts-expect-error -- there is no such style
    ez.paginated({ style: "page", itemSchema: user });
    // @ts-expect-error -- `itemSchema` is not a schema
    ez.paginated({ style: "offset", itemSchema: {} });
    // @ts-expect-error -- there is no such option
    ez.paginated({ style: "offset", itemSchema: user, limit: 5 });
    // @ts-expect-error -- a cursor must be a string on the wire
    ez.paginated({ style: "cursor", itemSchema: user, cursor: z.number() });
    ez.paginated({ style: "offset", itemSchema: user, itemsName: "nextCursor" });
    ez.paginated({ style: "cursor", itemSchema: user, itemsName: "total" });
  });
});

describe("ez.cursor", () => {
  const after = ez.cursor(z.object({ id: z.int(), at: ez.dateIn() }), { secret });
  type Value = { id: number; at: Date };

  test("is a string on the wire and a value for the handler", () => {
    expectTypeOf(after).toExtend<Cursor<z.ZodType>>();
    expectTypeOf<z.input<typeof after>>().toEqualTypeOf<string>();
    expectTypeOf<z.output<typeof after>>().toEqualTypeOf<Value>();
    expectTypeOf(z.encode(after, { id: 1, at: new Date() })).toEqualTypeOf<string>();
    // @ts-expect-error -- the value does not fit the schema
    z.encode(after, { id: "1", at: new Date() });
    // @ts-expect-error -- a secret is required
    ez.cursor(z.int(), {});
  });

  test("types the cursor of a page in both directions", () => {
    const page = ez.paginated({ style: "cursor", itemSchema: z.string(), cursor: after });
    expectTypeOf<z.input<typeof page.input>["cursor"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<z.output<typeof page.input>["cursor"]>().toEqualTypeOf<Value | undefined>();
    expectTypeOf<z.input<typeof page.output>>().toEqualTypeOf<{
      items: string[];
      nextCursor: Value | null;
      limit: number;
    }>();
    expectTypeOf<z.output<typeof page.output>["nextCursor"]>().toEqualTypeOf<string | null>();
    factory.build({
      ...page,
      handler: async ({ input: { limit, cursor } }) => {
        expectTypeOf(cursor).toEqualTypeOf<Value | undefined>();
        return { items: [], limit, nextCursor: cursor ? { id: 1, at: cursor.at } : null };
      },
    });
  });
});
