import createHttpError from "http-errors";
import { ez, Middleware, ServeStatic, type Routing } from "sallyport";
import { z } from "zod";
import {
  arrayEndpointsFactory,
  defaultEndpointsFactory as factory,
  guarded,
  ownFactory,
  pngFactory,
  problemEndpointsFactory,
  ticks,
  xmlFactory,
} from "./factories.ts";
import { kinds } from "./kinds.ts";

/** Creates an endpoint that accepts a value of a kind, and returns that value. */
const toEcho = (schema: z.ZodType, name: string) =>
  factory.build({
    method: "post",
    tag: "kinds",
    shortDescription: `Echoes ${name}`,
    input: z.object({ value: schema }),
    output: z.object({ value: ez.encode(schema) }),
    handler: async ({ input }) => input as never,
  });

const echoes = Object.fromEntries(
  Object.entries(kinds).map(([name, schema]) => [name, toEcho(schema, name)]),
);

const done = z.object({ done: z.boolean() });
const finish = async () => ({ done: true });

const page = ez.paginated({ style: "offset", itemSchema: z.object({ id: z.int() }), links: true });
const cursors = ez.paginated({ style: "cursor", itemSchema: z.string(), itemsName: "names" });

const role = z.object({ name: z.string().default("member") }).meta({ id: "Role" });

const taken = {
  description: "The name is taken",
  schema: z.object({ suggestion: z.string() }).meta({ id: "Suggestion" }),
};

const create = {
  statusCode: 201,
  input: z.object({ name: z.string().min(1) }),
  output: z.object({ name: z.string() }),
  errors: { 404: "There is no place for it", 409: taken },
  handler: async ({ input: { name } }: { readonly input: { readonly name: string } }) => {
    if (name.length > 6) throw createHttpError(409, "Taken", { data: { suggestion: "b" } });
    if (name.length > 3) throw createHttpError(404, "No place");
    return { name };
  },
} as const;

const limited = new Middleware({
  errors: { 429: { description: "Too many", headers: { "Retry-After": "Seconds to wait" } } },
  handler: async ({ request }) => {
    if (request.originalUrl.includes("often"))
      throw createHttpError(429, "Slow down", { headers: { "Retry-After": "1" } });
  },
});

/** Endpoints that are not about a single kind of schema. */
const others = {
  root: { "": factory.build({ output: done, handler: finish }) },
  "get /users/:id": factory.build({
    tag: ["users", "reading"],
    description: "Reads **one** user.",
    input: z.object({ id: z.uuid().describe("Which"), verbose: z.stringbool().optional() }),
    output: z.object({ id: z.uuid() }),
    handler: async ({ input: { id } }) => ({ id }),
  }),
  "put /users/:id": factory.build({
    tag: "users",
    operationId: "replaceUser",
    input: z.object({ id: z.uuid(), name: z.string(), tags: z.array(z.string()).optional() }),
    output: z.object({ id: z.uuid(), name: z.string() }),
    handler: async ({ input: { id, name } }) => ({ id, name }),
  }),
  "patch /users/:id": factory
    .build({
      tag: "users",
      input: z.object({ id: z.uuid(), name: z.string().optional() }).strict(),
      output: done,
      handler: finish,
    })
    .deprecated(),
  "delete /users/:id": factory.buildVoid({
    tag: "users",
    statusCode: 204,
    input: z.object({ id: z.uuid() }),
    handler: () => undefined,
  }),
  "search/:kind": {
    get: factory.build({
      input: z.discriminatedUnion("by", [
        z.object({ kind: z.string(), by: z.literal("name"), name: z.string() }),
        z.object({ kind: z.string(), by: z.literal("age"), age: z.coerce.number() }),
      ]),
      output: done,
      handler: finish,
    }),
    post: factory.build({
      input: z
        .object({ kind: z.enum(["a", "b"]) })
        .and(z.union([z.object({ name: z.string() }), z.object({ age: z.int() })])),
      output: done,
      handler: finish,
    }),
  },
  queries: factory.build({
    input: z.object({
      text: z.string().max(9).optional(),
      number: z.coerce.number().min(0).optional(),
      flag: z.stringbool().default(false),
      list: z.array(z.string()).max(3).optional(),
      one: z.enum(["a", "b"]).default("a").describe("One of two"),
      since: ez.dateIn().optional(),
      digits: z
        .string()
        .regex(/^\d{1,5}$/)
        .transform(Number)
        .optional(),
    }),
    output: z.object({ list: z.array(z.string()) }),
    handler: async ({ input: { list = [] } }) => ({ list }),
  }),
  anyQuery: factory.build({
    input: z.record(z.string(), z.string()),
    output: z.record(z.string(), z.string()),
    handler: async ({ input }) => input,
  }),
  pages: factory.build({
    input: page.input.and(z.object({ role: z.string().optional() })),
    output: page.output,
    handler: async ({ input: { limit, offset } }) => ({
      items: [{ id: 1 }],
      total: 99,
      limit,
      offset,
    }),
  }),
  cursors: factory.build({
    input: cursors.input,
    output: cursors.output,
    handler: async ({ input: { limit } }) => ({ names: ["a"], nextCursor: null, limit }),
  }),
  "files/*rest": factory.build({
    input: z.object({ rest: z.array(z.string()) }),
    output: z.object({ length: z.int() }),
    handler: async ({ input: { rest } }) => ({ length: rest.length }),
  }),
  "flights/:from-:to": factory.build({
    input: z.object({ from: z.string().max(3), to: z.string().max(3) }),
    output: z.object({ from: z.string() }),
    handler: async ({ input: { from } }) => ({ from }),
  }),
  both: factory.build({
    method: ["get", "post"],
    operationId: (method) => `${method}Both`,
    input: z.object({ a: z.string() }),
    output: z.object({ a: z.string() }),
    handler: async ({ input }) => input,
  }),
  created: { post: factory.build(create) },
  problems: { post: problemEndpointsFactory.build(create) },
  own: { post: ownFactory.build(create) },
  xml: xmlFactory.build({
    input: z.object({ later: z.stringbool().optional(), missing: z.stringbool().optional() }),
    output: z.object({ later: z.boolean() }),
    errors: { 404: "Missing" },
    handler: async ({ input: { later = false, missing } }) => {
      if (missing) throw createHttpError(404, "Missing");
      return { later };
    },
  }),
  png: pngFactory.build({
    output: z.object({ bytes: ez.buffer() }),
    handler: async () => ({ bytes: Buffer.from("png") }),
  }),
  list: arrayEndpointsFactory.build({
    output: z.object({ items: z.array(z.int()) }),
    handler: async () => ({ items: [1, 2] }),
  }),
  free: factory.build({ handler: async () => ({ anything: [1, { goes: true }] }) }),
  dates: factory.build({
    output: z.object({ at: ez.dateOut(), plain: z.date(), maybe: ez.dateOut().nullable() }),
    handler: async () => ({ at: new Date(0), plain: new Date(0), maybe: null }),
  }),
  transformed: factory.build({
    output: z.object({
      n: z.number().transform(String).pipe(z.string()),
      any: z.string().transform((text) => [text]),
    }),
    handler: async () => ({ n: 1, any: "a" }),
  }),
  "post /form": factory.build({
    input: ez.form({ name: z.string(), age: z.coerce.number().optional() }),
    output: done,
    handler: finish,
  }),
  "post /upload": factory.build({
    input: z.object({
      avatar: ez.upload(),
      others: z.array(ez.upload()).optional(),
      title: z.string(),
    }),
    output: z.object({ size: z.int() }),
    handler: async ({ input: { avatar } }) => ({ size: avatar.size }),
  }),
  "post /upload-or-json": factory.build({
    input: z.object({ avatar: ez.upload().optional(), title: z.string().min(1) }),
    output: z.object({ title: z.string() }),
    handler: async ({ input: { title } }) => ({ title }),
  }),
  "post /raw": factory.build({
    input: ez.raw(),
    output: z.object({ size: z.int() }),
    handler: async ({ input: { raw } }) => ({ size: raw.length }),
  }),
  "put /raw/:name": factory.build({
    input: ez.raw({ name: z.string() }, { contentMediaType: "image/png" }),
    output: z.object({ size: z.int() }),
    handler: async ({ input: { raw } }) => ({ size: raw.length }),
  }),
  "post /merged": factory
    .addMiddleware({ input: z.object({ key: z.string() }), handler: () => undefined })
    .build({ input: z.strictObject({ a: z.string() }), output: done, handler: finish }),
  limited: factory.addMiddleware(limited).build({ output: done, handler: finish }),
  slow: factory.build({ timeout: 5000, output: done, handler: finish }),
  roles: {
    post: factory.build({
      input: z.object({ role }),
      output: z.object({ role }),
      handler: async ({ input }) => input,
    }),
  },
  broken: factory.build({ output: done, handler: () => ({}) as never }),
  stream: ticks.build({
    input: z.object({ from: z.coerce.number().optional() }),
    handler: async ({ ctx: { emit } }) => {
      await emit("time", { now: 1 });
      await emit("note", "done");
    },
  }),
  public: new ServeStatic("assets"),
} satisfies Routing;

const secrets = Object.fromEntries(
  Object.entries(guarded).map(([name, own]) => [
    `/${name}`,
    own.build({ method: "get", scope: "read", tag: "secret", output: done, handler: finish }),
  ]),
);
const secretBody = guarded.input.build({
  method: "post",
  input: z.object({ a: z.string() }),
  output: done,
  handler: finish,
});

/** An API with every kind of endpoint and schema. */
export const tortureRouting: Routing = {
  kinds: echoes,
  secrets: { ...secrets, body: secretBody },
  ...others,
};

export const tortureConfig = {
  cors: false,
  upload: true,
} as const;
