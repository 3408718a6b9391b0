import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory, Middleware, type Routing } from "../../index.ts";
import { createClient } from "../../describe/client/index.ts";

const toReader = <Shape extends z.ZodRawShape>(
  output: z.ZodObject<Shape>,
  find: (id: string) => Promise<z.input<z.ZodObject<Shape>>>,
) =>
  factory.build({
    input: z.object({ id: z.string() }),
    output,
    handler: async ({ input }) => find(input.id),
  });

const toWriter = <Shape extends z.ZodRawShape>(
  input: z.ZodObject<Shape>,
  save: (given: z.output<z.ZodObject<Shape>>) => Promise<unknown>,
) =>
  factory.build({
    ...{ method: "post", input, output: z.object({ done: z.boolean() }) },
    handler: async ({ input: given }) => {
      await save(given);
      return { done: true };
    },
  });

const user = z.object({ name: z.string(), bornOn: z.date() });
const users = {
  get: toReader(user, async () => ({ name: "Ada", bornOn: new Date(0) })),
  post: toWriter(z.object({ age: z.coerce.number() }), async ({ age }) =>
    expectTypeOf(age).toEqualTypeOf<number>(),
  ),
} satisfies Routing;

/** Creates a client. It is never called, because only its types are checked. */
const create = () => createClient<{ users: typeof users }>({ baseUrl: "" });

describe("a generic function that builds endpoints", () => {
  test("keeps the types for clients", () => {
    void (async () => {
      const reply = await create().request("get /users", { id: "1" });
      if (reply.ok) expectTypeOf(reply.body.data).toEqualTypeOf<{ name: string; bornOn: string }>();
      void create().provide("post /users", { age: 1 });
      // @ts-expect-error -- `age` is missing
      void create().provide("post /users", {});
    });
  });

  test("checks what it is given", () => {
    // @ts-expect-error -- the field `bornOn` is missing
    toReader(user, async () => ({ name: "Ada" }));
    // @ts-expect-error -- a name is no number
    toWriter(user, async ({ name }) => name.toFixed());
  });
});

describe("middlewares whose input is `z.object({})`", () => {
  const empty = new Middleware({ input: z.object({}), handler: async () => ({}) });
  const key = new Middleware({ input: z.object({ key: z.string() }), handler: async () => ({}) });
  const routing = {
    before: factory
      .addMiddleware(empty)
      .addMiddleware(key)
      .build({
        handler: async ({ input }) => ({ key: input.key.length }),
      }),
    after: factory
      .addMiddleware(key)
      .addMiddleware(empty)
      .build({
        input: z.object({}),
        handler: async ({ input }) => ({ key: input.key.length }),
      }),
  };
  const client = () => createClient<typeof routing>({ baseUrl: "" });

  test("keep the fields of others", () => {
    void (() => client().provide("get /before", { key: "a" }));
    void (() => client().provide("get /after", { key: "a" }));
    // @ts-expect-error -- `key` is missing
    void (() => client().provide("get /before", {}));
    // @ts-expect-error -- `key` is a string
    void (() => client().provide("get /after", { key: 1 }));
  });
});
