import { defaultEndpointsFactory, EventStreamFactory, type Routing } from "sallyport";
import { afterEach, describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { mockServer, type MockServer, type RouteKey } from "../src/index.ts";

const secret = z.string().refine((value) => value === "secret");
const handler = (): never => {
  throw new Error("The application's own handler runs");
};
const user = z.object({
  id: z.int(),
  name: z.string(),
  address: z.object({ city: z.string(), street: z.string() }),
  tags: z.array(z.string()),
});

const routing = {
  "/users": {
    get: defaultEndpointsFactory.build({ output: z.object({ users: z.array(user) }), handler }),
    ":id": defaultEndpointsFactory
      .build({
        input: z.object({ id: z.coerce.number() }),
        output: user,
        errors: { gone: { status: 410, description: "Gone" }, 404: "No such user" },
        handler,
      })
      .nest({ "delete name": defaultEndpointsFactory.buildVoid({ handler }) }),
  },
  "post /logins": defaultEndpointsFactory.build({ output: z.object({ code: secret }), handler }),
  events: new EventStreamFactory({ time: z.number() }).build({ handler }),
} satisfies Routing;

const mocks: MockServer[] = [];
const start: typeof mockServer = async (options) => {
  const mock = await mockServer(options);
  mocks.push(mock);
  return mock;
};
afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close();
});

const read = async ({ fetch }: MockServer, path: string, method = "GET") => {
  const response = await fetch(path, { method });
  return { status: response.status, body: (await response.json()) as object };
};

const login = { "post /logins": () => ({ code: "secret" }) };

test("the keys of handlers are those of the routing map", () => {
  expectTypeOf<RouteKey<typeof routing>>().toEqualTypeOf<
    "get /users" | "get /users/:id" | "delete /users/:id/name" | "post /logins" | "get /events"
  >();
});

describe("a handler", () => {
  test("replaces a part of the generated output", async () => {
    const mock = await start({
      routing,
      handlers: {
        ...login,
        "get /users/:id": ({ input }) => {
          expectTypeOf(input).toEqualTypeOf<{ id: number }>();
          return { name: `User ${input.id}`, address: { city: "Oslo" }, tags: [] };
        },
      },
    });
    expect(await read(mock, "/users/7")).toEqual({
      status: 200,
      body: {
        status: "success",
        data: {
          ...{ id: 7, name: "User 7", tags: [] },
          address: { city: "Oslo", street: expect.stringMatching(/./) as string },
        },
      },
    });
  });

  test("throws declared errors, and may be asynchronous or return nothing", async () => {
    const mock = await start({
      routing,
      handlers: {
        ...login,
        "get /users/:id": async ({ input, errors }) => {
          if (input.id === 1) throw errors.gone();
          if (input.id === 2) throw errors[404]();
          return undefined;
        },
      },
    });
    expect((await read(mock, "/users/1")).status).toBe(410);
    expect((await read(mock, "/users/2")).status).toBe(404);
    expect((await read(mock, "/users/3")).status).toBe(200);
  });

  test("may send what cannot be generated", async () => {
    const mock = await start({ routing, handlers: login });
    expect(await read(mock, "/logins", "POST")).toMatchObject({
      body: { data: login["post /logins"]() },
    });
  });

  test("has types", async () => {
    await start({
      routing,
      handlers: {
        ...login,
        // @ts-expect-error -- a name is a string
        "get /users/:id": () => ({ name: 1 }),
      },
    });
    await start({
      routing,
      handlers: {
        ...login,
        // @ts-expect-error -- the input has no such field
        "get /users/:id": ({ input }) => ({ name: String(input.key) }),
      },
    });
    const handlers = { ...login, "get /user": () => ({}) };
    // @ts-expect-error -- there is no such route
    const unknown = mockServer({ routing, handlers: { ...login, "get /user": () => ({}) } });
    await expect(unknown).rejects.toThrow(
      'mock: `handlers` has "get /user", but there is no such route. Use a method and a path as in the routing map, such as "get /users".',
    );
    const loose: Routing = routing;
    // the keys of a map that is declared as Routing are not known
    await expect(start({ routing: loose, handlers })).rejects.toThrow("no such route");
  });

  test("is refused for a stream of events", async () => {
    await expect(
      start({ routing, handlers: { ...login, "get /events": () => undefined } }),
    ).rejects.toThrow('mock: `handlers` has "get /events", which sends events.');
  });
});

describe("a mock does not start", () => {
  test("if an output cannot be generated", async () => {
    await expect(start({ routing })).rejects.toThrow(
      'mock: no value can be generated for output.code of post /logins: it has a .refine(). Add .meta({ examples: [...] }) to its schema, or a handler: handlers: { "post /logins": () => ({ ... }) }.',
    );
    const examples = defaultEndpointsFactory.build({
      method: "post",
      output: z.object({ code: secret.meta({ examples: ["secret"] }) }),
      handler,
    });
    const mock = await start({ routing: { logins: examples } });
    expect(await read(mock, "/logins", "POST")).toMatchObject({
      body: { data: { code: "secret" } },
    });
  });

  test("if an output with an asynchronous refinement cannot be generated", async () => {
    const output = z.object({ code: z.string().refine(async (value) => value === "secret") });
    const build = defaultEndpointsFactory.build({ output, handler });
    await expect(start({ routing: { logins: build } })).rejects.toThrow(
      "mock: no value can be generated for output.code of get /logins: it has a .refine().",
    );
  });

  test("if the data of an error or an event cannot be generated", async () => {
    const errors = {
      taken: { status: 409, description: "Taken", schema: z.object({ secret }) },
    } as const;
    const failing = defaultEndpointsFactory.build({ errors, handler });
    await expect(start({ routing: { failing } })).rejects.toThrow(
      "mock: no value can be generated for errors.taken.secret of get /failing",
    );
    const events = new EventStreamFactory({ told: z.object({ secret }) }).build({ handler });
    await expect(start({ routing: { events } })).rejects.toThrow(
      "mock: no value can be generated for the event told.secret of get /events",
    );
  });
});

test("what a schema rejects by chance is replaced by what it has accepted", async () => {
  let isStrict = false;
  let accepted: string | undefined;
  const output = z.object({ id: z.uuid() }).refine(({ id }) => {
    if (!isStrict) accepted = id;
    return id === accepted;
  });
  const rare = defaultEndpointsFactory.build({
    input: z.object({ q: z.string() }),
    output,
    handler,
  });
  const mock = await start({ routing: { rare } });
  isStrict = true;
  const data = { id: accepted };
  expect(await read(mock, "/rare?q=1")).toMatchObject({ status: 200, body: { data } });
  expect(await read(mock, "/rare?q=2")).toMatchObject({ status: 200, body: { data } });
});
