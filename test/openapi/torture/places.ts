import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  type Routing,
} from "sallyport";
import { z } from "zod";
import { kinds } from "./kinds.ts";

const named = z.object({ a: z.string() }).meta({ id: "Named" });
const other = z.object({ b: z.int() }).meta({ id: "Other" });

const chain = z.object({
  name: z.string(),
  get next() {
    return chain.nullable();
  },
});

/** What requests and responses in JSON may hold besides `kinds`, above all what other tools read differently. */
const more = {
  twoPatterns: z.string().min(3).regex(/[A-Z]/).regex(/\d/),
  nullablePatterns: z.string().regex(/[A-Z]/).regex(/\d/).nullable(),
  literalOrNull: z.literal(["free", null]),
  literalNullable: z.literal("free").nullable(),
  literalsOrNull: z.literal(["free", "paid", 1, null]),
  onlyTrue: z.literal(true),
  someNumbers: z.literal([1, 2]),
  literalUnion: z.union([z.literal("a"), z.literal(1), z.null()]),
  nativeEnum: z.enum({ Low: "low", High: "high" }),
  unionOrNull: z.union([z.string(), z.int()]).nullable(),
  objectsOrNull: z.union([z.object({ a: z.string() }), z.object({ b: z.int() })]).nullable(),
  namedUnionOrNull: z.union([named, other]).nullable(),
  namedOrNull: named.nullable(),
  namedNullish: named.nullish(),
  namedList: z.array(named.nullable()),
  optionals: z.object({ a: named.optional(), b: other.nullable().optional() }),
  nullables: z.array(z.string().nullable()),
  lists: z.array(z.array(z.int())),
  tuplesOrNull: z.tuple([z.string(), z.int().nullable()]).nullable(),
  optionalTuple: z.tuple([z.string(), z.int().optional()]),
  nullableRecord: z.record(z.string(), z.int().nullable()),
  namedRecord: z.record(z.string(), named),
  nestedRecord: z.record(z.string(), z.record(z.string(), z.boolean())),
  chain,
  intersected: named.and(other),
  intersectedOrNull: named.and(other).nullable(),
  required: z.string().optional().nonoptional(),
  nullableDefault: z.int().nullable().default(null),
  coerced: z.coerce.number(),
  int32: z.int32(),
  float32: z.float32(),
  big: z.int().min(0).max(1e15),
  formats: z.object({
    ...{ cuid2: z.cuid2(), ulid: z.ulid(), nanoid: z.nanoid(), jwt: z.jwt(), hex: z.hex() },
    ...{ emoji: z.emoji(), e164: z.e164(), cidr: z.cidrv4(), host: z.hostname() },
  }),
  oddNames: z.object({
    ...{
      "a-b": z.string(),
      "a.b": z.int(),
      "1st": z.string(),
      with: z.string(),
      "a b": z.string(),
    },
    ...{ $x: z.string(), default: z.string(), 'quo"ted': z.string() },
  }),
  oddValues: z.enum([
    "a b",
    "it's",
    'quo"ted',
    "back\\slash",
    "1",
    "",
    "a-b",
    "A-B",
    "ü",
    "default",
  ]),
  oddText: z.string().describe('Ends a comment: */ and `code` ${x} \\ "quoted"\nin two lines'),
  readOnly: z.string().meta({ readOnly: true }),
  anything: z.any(),
} as const satisfies Record<string, z.ZodType>;

/** The kinds of JSON values by name. */
export const jsonKinds: Readonly<Record<string, z.ZodType>> = { ...kinds, ...more };

/** What text may hold: a path, a query, header fields, cookies and forms. */
export const textKinds = {
  string: z.string(),
  two: z.string().regex(/[A-Z]/).regex(/\d/),
  uuid: z.uuid(),
  date: ez.dateIn(),
  number: z.coerce.number(),
  integer: z.coerce.number().int().min(1),
  digits: z.string().regex(/^\d+$/).transform(Number),
  bigint: z.coerce.bigint(),
  flag: z.stringbool(),
  literal: z.literal("one"),
  enum: z.enum(["low", "high"]),
  template: z.templateLiteral(["v", z.int()]),
  "odd-name": z.string(),
};

export const listKinds = { list: z.array(z.string()), levels: z.array(z.enum(["low", "high"])) };

const optional = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).partial();

const read = (input: z.ZodObject) =>
  factory.build({ input, output: z.object({ ok: z.boolean() }), handler: () => ({ ok: true }) });

const names = Object.keys(textKinds).filter((name) => !name.includes("-"));

const json = z.object(jsonKinds);

const middle = factory.addMiddleware({
  input: z.object({ id: z.string() }),
  handler: () => ({}),
});

const prefixed = Object.fromEntries(
  Object.entries(textKinds).map(([name, schema]) => [`x-${name}`, schema]),
);

/** An API with each kind of schema at each place where it can be. */
export const placesRouting: Routing = {
  [`get path/${names.map((name) => `:${name}`).join("/")}`]: factory.build({
    operationId: "getPath",
    input: z.object(textKinds).omit({ "odd-name": true }),
    output: z.object({ ok: z.boolean() }),
    handler: () => ({ ok: true }),
  }),
  "get query": read(z.object({ ...textKinds, ...listKinds })),
  "get optional-query": read(optional({ ...textKinds, ...listKinds })),
  "get headers": factory.build({
    headers: z.object(prefixed),
    responseHeaders: z.object({ "x-count": z.int(), "x-level": z.enum(["low", "high"]) }),
    output: z.object({ ok: z.boolean() }),
    handler: () => ({ ok: true }),
  }),
  "get cookies": factory.build({
    inputSources: ["cookies"],
    input: optional(textKinds),
    handler: () => ({}),
  }),
  "post form": factory.build({
    input: ez.form({ ...textKinds, ...listKinds }),
    handler: () => ({}),
  }),
  "post files": factory.build({
    input: z.object({ ...textKinds, ...listKinds, file: ez.upload(), more: z.array(ez.upload()) }),
    handler: () => ({}),
  }),
  "post optional-files": factory.build({
    input: z.object({ ...textKinds, file: ez.upload().optional() }),
    handler: () => ({}),
  }),
  "post json": factory.build({
    input: json,
    output: z.object({ value: ez.encode(json) }),
    errors: { 409: { description: "Taken", schema: ez.encode(json) } },
    handler: () => ({}) as never,
  }),
  "get events": new EventStreamFactory({ all: ez.encode(json), other: z.string() }).build({
    handler: async () => undefined,
  }),
  "get shared/:id": middle.build({
    input: z.object({ id: z.coerce.number() }),
    handler: () => ({}),
  }),
  "post shared": middle.build({ input: z.object({ id: z.coerce.number() }), handler: () => ({}) }),
};

export const placesConfig = { cors: false, upload: true, cookies: true } as const;
