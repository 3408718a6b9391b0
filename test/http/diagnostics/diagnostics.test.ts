import express from "express";
import {
  arrayEndpointsFactory,
  attachRouting,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  EventStreamFactory,
  ez,
  Middleware,
  problemEndpointsFactory,
  ResultHandler,
  ServeStatic,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { routing as example } from "../../fixtures/users-api/src/routing.ts";
import { createRecorder, start } from "../harness.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const text = z.string();
const none = (): object => ({});

/** Starts a server and returns its warnings. */
const warnOf = async (routing: Routing, config: Partial<ServerConfig> = {}) =>
  (await start(routing, config)).linesOf("warn");

const input = <Schema extends z.ZodRawShape>(shape: Schema) =>
  factory.build({ input: z.object(shape), handler: none });
const output = <Schema extends z.ZodRawShape>(shape: Schema) =>
  factory.build({ output: z.object(shape), handler: none as never });

/**
 * Routing maps with one defect each, preceded by the code, the place and parts of the message of
 * the expected warning.
 */
type Defect = readonly [string, string, readonly string[], Routing, Partial<ServerConfig>];
const defects: readonly Defect[] = [
  [
    "SLP_WARN_INPUT_TEXT",
    "get /v1",
    ["`input.all` of GET /v1", "z.coerce.boolean()", '"false"', "z.stringbool()"],
    { v1: input({ all: z.coerce.boolean().optional() }) },
    {},
  ],
  [
    "SLP_WARN_INPUT_TEXT",
    "post /v1",
    ["`input.all` of POST /v1", "z.coerce.boolean()"],
    { "post v1": factory.build({ input: ez.form({ all: z.coerce.boolean() }), handler: none }) },
    {},
  ],
  [
    "SLP_WARN_OUTPUT_JSON",
    "get /ticks",
    ['`data.at` of the event "tick" of GET /ticks is z.bigint()', ".transform(String)"],
    {
      ticks: new EventStreamFactory({ tick: z.object({ at: z.bigint() }), end: text }).build({
        handler: async () => undefined,
      }),
    },
    {},
  ],
  [
    "SLP_WARN_INPUT_SOURCE",
    "post /hooks/:name",
    ["`input.version` of POST /hooks/:name", "inputSources"],
    {
      "post hooks/:name": factory.build({
        input: ez.raw({ name: text, version: text }),
        handler: none,
      }),
    },
    {},
  ],
  [
    "SLP_WARN_INPUT_SOURCE",
    "get /tenant",
    ["`input.X-Tenant`, `input.host` of GET /tenant", "`x-`"],
    {
      tenant: factory.build({
        inputSources: ["headers"],
        input: z.object({ "X-Tenant": text, "x-lower": text, host: text }),
        handler: none,
      }),
    },
    {},
  ],
  [
    "SLP_WARN_INPUT_SOURCE",
    "put /ticket",
    ["`input.if-match` of PUT /ticket", "`headers` of the endpoint"],
    {
      ticket: factory.build({
        method: "put",
        inputSources: ["headers", "body"],
        input: z.object({ "if-match": text, "x-count": text, priority: text }),
        handler: none,
      }),
    },
    {},
  ],
  [
    "SLP_WARN_INPUT_CONFLICT",
    "post /notes",
    ["`input.id` of POST /notes", "string", "number or null", "another name"],
    {
      "post notes": factory
        .addMiddleware({ input: z.object({ id: text }), handler: none })
        .build({ input: z.object({ id: z.int().nullable() }), handler: none }),
    },
    {},
  ],
  [
    "SLP_WARN_PATH_PARAMETER",
    "get /v1/:id",
    [":id", "/v1/:id", "Add `id`"],
    { v1: { ":id": input({}) } },
    {},
  ],
  [
    "SLP_WARN_PATH_PARAMETER_OPTIONAL",
    "get /v1/:id",
    [":id", "/v1/:id", "Make `id`"],
    { v1: { ":id": input({ id: text.optional() }) } },
    {},
  ],
  [
    "SLP_WARN_INPUT_JSON",
    "post /v1/users",
    ["`input.items[].at` of POST /v1/users", "z.date()", "ez.dateIn()"],
    { v1: { users: { post: input({ items: z.array(z.object({ at: z.date() })) }) } } },
    {},
  ],
  [
    "SLP_WARN_INPUT_TEXT",
    "get /v1/users",
    ["`input.limit` of GET /v1/users", "z.number()", "z.coerce.number()"],
    { v1: { users: input({ limit: z.int().default(20) }) } },
    {},
  ],
  [
    "SLP_WARN_INPUT_TEXT",
    "patch /:id",
    ["`input.id` of PATCH /:id", "a path parameter is a string"],
    { "patch :id": input({ id: z.number(), age: z.number() }) },
    {},
  ],
  [
    "SLP_WARN_INPUT_TEXT",
    "delete /",
    ["a middleware of DELETE /", "z.stringbool()"],
    {
      delete: factory
        .addMiddleware({ input: z.object({ force: z.boolean() }), handler: none })
        .build({ handler: none }),
    },
    {},
  ],
  [
    "SLP_WARN_OUTPUT_JSON",
    "get /",
    ["`output.user.id` of GET /", "z.bigint()", ".transform(String)"],
    { "": output({ user: z.object({ id: z.bigint() }) }) },
    {},
  ],
  [
    "SLP_WARN_NO_BODY",
    "get /hook",
    ["GET /hook", "ez.raw()", "POST"],
    { hook: factory.build({ input: ez.raw(), handler: none }) },
    {},
  ],
  [
    "SLP_WARN_UPLOAD_SOURCE",
    "put /avatar",
    ["PUT /avatar", "ez.upload()", '`inputSources.put` lacks "files"'],
    { avatar: { put: input({ avatar: ez.upload() }) } },
    { upload: true },
  ],
  [
    "SLP_WARN_UPLOAD_OFF",
    "post /avatar",
    ["POST /avatar", "ez.upload()", "`upload: true`"],
    { avatar: { post: input({ avatar: ez.upload() }) } },
    {},
  ],
  [
    "SLP_WARN_GET_BODY",
    "get /a",
    ["`inputSources.get`", "GET /a", "POST"],
    { a: input({ n: z.number() }), b: input({ n: z.number() }) },
    { inputSources: { get: ["body"] } },
  ],
  [
    "SLP_WARN_ROUTE_ORDER",
    "get /:c.:d",
    ["GET /:a-:b", "GET /:c.:d", "order"],
    { ":a-:b": input({ a: text, b: text }), ":c.:d": input({ c: text, d: text }) },
    {},
  ],
  [
    "SLP_WARN_FILES_SHADOWED",
    "get /*rest",
    ["GET /*rest", "/public", "never served"],
    { public: new ServeStatic("."), "*rest": input({ rest: z.array(text) }) },
    {},
  ],
  [
    "SLP_WARN_RESPONSE",
    "get /",
    ["GET /", "`positive`"],
    {
      "": new EndpointsFactory(
        new ResultHandler({ positive: [], negative: text, handler: () => undefined }),
      ).build({ output: z.object({}), handler: () => ({}) }),
    },
    {},
  ],
];

describe("the diagnostics at startup", () => {
  test.each(defects)(
    "give one warning with code, place and fix in development: %s %s",
    async (code, place, texts, routing, config) => {
      const lines = await warnOf(routing, config);
      expect(lines).toHaveLength(1);
      const { message = "", meta } = lines[0] ?? {};
      expect(message.startsWith(`${code}: `)).toBe(true);
      expect(message).not.toContain("\n");
      for (const said of texts) expect(message).toContain(said);
      const [method, path] = place.split(" ");
      expect(meta).toMatchObject({ method, path });
    },
  );

  test.each(defects)(
    "give no warning in production: %s %s",
    async (_code, _place, _texts, routing, config) => {
      vi.stubEnv("NODE_ENV", "production");
      expect(await warnOf(routing, config)).toEqual([]);
    },
  );

  test("warn of a key with an empty segment in its middle, which is left out", async () => {
    const lines = await warnOf({ v1: { "get x//y": factory.build({ handler: none }) } });
    expect(lines).toEqual([
      {
        severity: "warn",
        message:
          'SLP_WARN_ROUTING_KEY: The key "get x//y" has an empty segment, which no path can have, so it stands for "/v1/x/y". Remove the second slash.',
        meta: { path: "/v1/x/y" },
      },
    ]);
    expect(await warnOf({ "///x/y///": factory.build({ handler: none }) })).toEqual([]);
  });

  test("do not prevent a server with a defect from serving", async () => {
    const server = await start({ "": input({ limit: z.number().optional() }) });
    expect((await server.send("/")).status).toBe(200);
    expect((await server.send("/?limit=1")).status).toBe(400);
    expect(server.linesOf("warn")).toHaveLength(1);
  });

  test("log one debug line if a check fails, and do not prevent the start", async () => {
    const hostile = z.object({ a: z.tuple([text]) });
    Object.defineProperty(hostile.shape.a._zod.def, "items", {
      enumerable: false,
      get: () => {
        throw new Error("hostile");
      },
    });
    const server = await start({
      a: factory.build({ input: hostile, handler: none }),
      b: output({ n: z.bigint() }),
    });
    expect(server.linesOf("warn").map(({ message }) => message.split(":")[0])).toEqual([
      "SLP_WARN_OUTPUT_JSON",
    ]);
    expect(server.linesOf("debug").map(({ message }) => message)).toContain(
      "A routing check failed",
    );
  });
});

const page = ez.paginated({ style: "offset", itemSchema: z.object({ name: text }) });
const cursorPage = ez.paginated({
  style: "cursor",
  itemSchema: z.object({ name: text }),
  itemsName: "users",
});
interface Folder {
  readonly name: string;
  readonly folders: readonly Folder[];
}
const folder: z.ZodType<Folder> = z.object({ name: text, folders: z.lazy(() => z.array(folder)) });
const bytes = new EndpointsFactory(
  new ResultHandler({
    positive: { schema: text, mimeType: "application/octet-stream" },
    negative: text,
    handler: ({ response }) => response.end(),
  }),
);
const auth = new Middleware({
  input: z.object({ key: text.min(1), tenant: text.optional() }),
  security: { type: "input", name: "key" },
  handler: async () => ({ user: { name: "Ada" } }),
});

const sound: Routing = {
  example,
  guide: {
    users: {
      ":id": input({ id: text.transform(Number), verbose: z.enum(["yes", "no"]).optional() }),
    },
    avatars: {
      post: factory.build({
        input: z.object({
          avatar: ez.upload(),
          more: z.array(ez.upload()).optional(),
          takenAt: ez.dateIn(),
        }),
        output: z.object({ size: z.number(), savedAt: ez.dateOut() }),
        handler: () => ({ size: 1, savedAt: new Date() }),
      }),
    },
    hooks: { post: factory.build({ input: ez.raw(), handler: none }) },
    hello: factory.addMiddleware(auth).build({ handler: none }),
    greetings: {
      ":name": input({ name: text.min(1), times: z.coerce.number().int().max(3).default(1) }),
    },
  },
  pages: factory.build({ input: page.input, output: page.output, handler: none as never }),
  "pages/by-cursor": problemEndpointsFactory.build({
    input: cursorPage.input.and(z.object({ role: text.optional() })),
    output: cursorPage.output,
    handler: none as never,
  }),
  list: arrayEndpointsFactory.build({
    output: z.object({ items: z.array(z.object({ at: z.date() })), ids: z.array(z.int()) }),
    handler: () => ({ items: [], ids: [] }),
  }),
  search: input({
    tags: z.array(text).or(text).optional(),
    since: ez.dateIn().optional(),
    until: z.coerce.date().nullish(),
    active: z.stringbool().default(true),
    count: z.preprocess(Number, z.number()),
    big: z.coerce.bigint().optional(),
    sort: z.union([z.literal("name"), z.literal(["-name", 1])]),
    filter: text.transform((json) => JSON.parse(json) as unknown).optional(),
    forbidden: z.never().optional(),
    any: z.unknown(),
  }),
  "post search": input({
    limit: z.int().max(100),
    exact: z.boolean(),
    range: z.tuple([z.number(), z.number().nullable()]),
    where: z.record(text, z.union([text, z.number(), z.date()])),
    by: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("id"), id: z.number() }),
      z.strictObject({ kind: z.literal("name"), name: text, id: z.undefined().optional() }),
    ]),
    tree: folder,
    more: z.json().optional(),
  }),
  "post form": factory.build({
    input: ez.form({ name: text, age: z.coerce.number() }),
    handler: none,
  }),
  "get either": factory.build({
    input: z.union([z.object({ a: text, n: z.number() }), z.object({ b: text })]),
    handler: none,
  }),
  "post either": factory.build({ input: z.looseObject({ n: z.number() }), handler: none }),
  "files/*rest": input({ rest: z.array(text).transform((parts) => parts.join("/")) }),
  "files/:name": input({ name: text }),
  "files/:name.json": input({ name: text }),
  "reports/:id": input({ id: z.coerce.number() }),
  "reports/:from-:to": input({ from: z.coerce.number(), to: z.coerce.number() }),
  "calendar/:year-:month": input({ year: text, month: text }),
  "calendar/:year-:month-:day": input({ year: text, month: text, day: text }),
  ":lang/me": input({ lang: z.enum(["de", "en"]) }),
  dates: output({ at: z.date(), ends: ez.dateOut().nullable(), data: ez.buffer().optional() }),
  converted: output({
    id: z.bigint().transform(String),
    tags: z.set(text).transform((set) => [...set]),
    either: z.union([z.bigint(), text]),
  }),
  bytes: bytes.build({
    output: z.object({ data: ez.buffer(), n: z.bigint() }),
    handler: none as never,
  }),
  tick: new EventStreamFactory({ tick: z.number() }).build({
    input: z.object({ from: z.coerce.number().optional() }),
    handler: () => undefined,
  }),
  tenants: {
    ":tenant": factory
      .addMiddleware(auth)
      .build({ input: z.object({ tenant: text }), handler: none }),
  },
  both: input({ id: text.optional() }).nest({}),
  void: { delete: factory.buildVoid({ handler: () => undefined }) },
  public: new ServeStatic("assets"),
};

describe("the diagnostics report nothing", () => {
  test("for endpoints of all kinds, including those in the example and the guide", async () => {
    const server = await start(sound, { upload: true });
    expect(server.linesOf("warn")).toEqual([]);
    expect(server.linesOf("debug").map(({ message }) => message)).not.toContain(
      "A routing check failed",
    );
  });

  test("for objects in a query if its parser returns objects or is unknown", async () => {
    const nested = { a: input({ a: z.object({ b: z.array(text) }) }) };
    expect(await warnOf(nested, { queryParser: "extended" })).toEqual([]);
    expect(await warnOf(nested, { queryParser: () => ({}) })).toEqual([]);
    expect(await warnOf(nested)).toHaveLength(1);
  });

  test("for uploads that a native middleware may accept", async () => {
    const routing = { post: input({ avatar: ez.upload() }) };
    expect(await warnOf(routing, { beforeRouting: () => undefined })).toEqual([]);
  });
});

test("on a user's own application, the diagnostics take its query parser into account", async () => {
  const routing = { a: input({ a: z.object({ b: text }), n: z.number() }) };
  const attach = (app: express.IRouter): (() => number) => {
    const { logger, lines } = createRecorder();
    attachRouting({ app, cors: false, logger }, routing);
    return () => lines.filter(({ severity }) => severity === "warn").length;
  };
  // a router uses the query parser of an application that is not known yet
  const [router, strict, extended] = [
    attach(express.Router()),
    attach(express()),
    attach(express().set("query parser", "extended")),
  ];
  // the diagnostics are loaded after the call, and run in the order of the calls
  await expect.poll(extended).toBeGreaterThan(0);
  expect([router(), strict(), extended()]).toEqual([0, 2, 1]);
});

describe("the built-in logger in production", () => {
  const warnings = async (logger: ServerConfig["logger"]): Promise<string[]> => {
    vi.stubEnv("NODE_ENV", "production");
    // oxlint-disable-next-line no-console -- this is where the built-in logger writes
    const write = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await start({}, { logger, startupLogo: false });
    return write.mock.calls.map(String).filter((line) => line.includes("SLP_WARN_"));
  };

  test("causes one warning that names the fix", async () => {
    const lines = await warnings(undefined);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("SLP_WARN_CONSOLE_LOGGER: ");
    expect(lines[0]).toContain("pino");
    expect(await warnings({ level: "info" })).toHaveLength(2);
  });

  test.each([["silent"], ["error"]] as const)("causes no warning at level %s", async (level) => {
    expect(await warnings({ level })).toEqual([]);
  });

  test("causes no warning in development, or with a custom logger", async () => {
    const { logger, lines } = createRecorder();
    expect(await warnings(logger)).toEqual([]);
    expect(lines).toEqual([]);
  });
});
