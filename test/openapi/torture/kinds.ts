import { ez } from "sallyport";
import { z } from "zod";

const money = z.codec(z.string().regex(/^-?\d{1,12}$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => String(value),
});

const circle = z.object({ kind: z.literal("circle"), radius: z.number() }).meta({ id: "Circle" });
const square = z.object({ kind: z.literal("square"), side: z.number() }).meta({ id: "Square" });

const category = z.object({
  name: z.string(),
  get parts() {
    return z.array(category);
  },
});

type Expression = { op: "number"; value: number } | { op: "sum"; of: Expression[] };
const expression: z.ZodType<Expression> = z.discriminatedUnion("op", [
  z.object({ op: z.literal("number"), value: z.number() }),
  z.object({
    op: z.literal("sum"),
    get of() {
      return z.array(expression);
    },
  }),
]);

type Json = string | { readonly [key: string]: Json };
const lazyTree: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.record(z.string(), lazyTree)]),
);

const user = z
  .object({
    name: z.string().meta({ examples: ["Ada"], description: "How to call her" }),
    bornOn: ez.dateIn({ examples: ["1815-12-10"] }),
    role: z.enum(["admin", "member"]).default("member"),
  })
  .meta({ id: "User", description: "Someone" });

const author: z.ZodType = z
  .object({
    name: z.string(),
    get books() {
      return z.array(book).optional();
    },
  })
  .meta({ id: "Author" });
const book: z.ZodType = z
  .object({
    title: z.string(),
    get author() {
      return author.optional();
    },
  })
  .meta({ id: "Book" });

/** A schema of each kind that JSON can represent; each accepts the values that it returns, or can encode them. */
export const kinds = {
  string: z.string(),
  bounded: z.string().min(2).max(5),
  pattern: z.string().regex(/^[a-z]{1,4}$/),
  prefix: z.string().startsWith("ab"),
  email: z.email(),
  emailAt: z.email().endsWith("@corp.example").max(60),
  patterns: z
    .string()
    .startsWith("a")
    .endsWith("z")
    .regex(/^\w+$/)
    .meta({ examples: ["abz"] }),
  uuid: z.uuid(),
  url: z.url(),
  isoDate: z.iso.date(),
  isoTime: z.iso.time(),
  isoDatetime: z.iso.datetime(),
  isoDuration: z.iso.duration(),
  ipv4: z.ipv4(),
  base64: z.base64(),
  number: z.number(),
  integer: z.int(),
  small: z.int().min(-3).max(3),
  open: z.number().gt(0).lt(1),
  step: z.number().multipleOf(5),
  steps: z.number().multipleOf(4).multipleOf(6),
  uint32: z.uint32(),
  boolean: z.boolean(),
  null: z.null(),
  literal: z.literal("one"),
  literals: z.literal(["a", 1, true, null]),
  enum: z.enum(["low", "high"]),
  nullableEnum: z.enum(["low", "high"]).nullable(),
  array: z.array(z.int()),
  boundedArray: z.array(z.string()).min(1).max(3),
  tuple: z.tuple([z.string(), z.int()]),
  tupleRest: z.tuple([z.string()], z.boolean()),
  record: z.record(z.string(), z.int()),
  enumRecord: z.record(z.enum(["a", "b"]), z.int()),
  partialRecord: z.partialRecord(z.enum(["a", "b"]), z.int()),
  object: z.object({ a: z.string(), b: z.object({ c: z.int().optional() }) }),
  strict: z.strictObject({ a: z.string() }),
  loose: z.looseObject({ a: z.string() }),
  catchall: z.object({ a: z.string() }).catchall(z.int()),
  optional: z.string().optional(),
  nullable: z.string().nullable(),
  nullableUser: circle.nullable(),
  nullish: z.int().nullish(),
  default: z.string().default("x"),
  prefault: z.string().prefault("x"),
  catch: z.int().catch(7),
  readonly: z.object({ a: z.string() }).readonly(),
  union: z.union([z.string(), z.int(), z.object({ a: z.string() })]),
  discriminated: z.discriminatedUnion("kind", [circle, square]),
  discriminatedInline: z.discriminatedUnion("type", [
    z.object({ type: z.literal("a"), a: z.string() }),
    z.object({ type: z.enum(["b", "c"]), b: z.int() }),
  ]),
  discriminatedNested: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("plain") }),
      z.discriminatedUnion("shape", [
        z.object({ kind: z.literal("shaped"), shape: z.literal("round"), at: ez.dateIn() }),
        z.object({ kind: z.literal("shaped"), shape: z.literal("flat"), side: z.number() }),
      ]),
    ])
    .nullable(),
  discriminatedNumbers: z.discriminatedUnion("version", [
    z.object({ version: z.literal(1), a: z.string() }),
    z.strictObject({ version: z.literal(2), b: z.string().default("b") }),
  ]),
  expression,
  listedKeys: z.record(z.union([z.literal(1), z.enum(["a"])]), z.int()),
  looseKeys: z.looseRecord(z.enum(["a"]), z.int()),
  keysAndFields: z.record(z.enum(["a"]), z.int()).and(z.object({ b: z.string() })),
  patternKeys: z.record(z.string().regex(/^[a-z]{1,3}$/), z.boolean()),
  strictTogether: z.strictObject({ a: z.string() }).and(z.strictObject({ b: z.int() })),
  strictNamed: z
    .strictObject({ a: z.string() })
    .meta({ id: "Strict" })
    .and(z.object({ b: z.int() })),
  intersection: z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })),
  intersectedUnion: z
    .object({ a: z.string() })
    .and(z.union([z.object({ b: z.int() }), z.object({ c: z.boolean() })])),
  category,
  lazyTree,
  author,
  template: z.templateLiteral(["v", z.int(), "-", z.enum(["a", "b"])]),
  money,
  date: ez.dateIn(),
  user,
  stringbool: z.stringbool(),
  unknown: z.unknown(),
  json: z.json(),
  branded: z.string().brand<"Id">(),
  piped: z.string().pipe(z.string().max(9)),
  described: z.string().describe("Said").meta({ title: "Title", deprecated: true }),
} as const;
