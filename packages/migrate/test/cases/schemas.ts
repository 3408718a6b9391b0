import type { Case } from "./case.ts";

const schema = (
  rule: string,
  major: number,
  before: string,
  after: string,
  isIncomplete?: true,
): Case => {
  const zod = `import { z } from "zod";\n`;
  return {
    ...{ rule, major, before: `${zod}${before}\n`, after: `${zod}${after}\n` },
    ...(isIncomplete && { isIncomplete }),
  };
};

const withEz = (rule: string, major: number, before: string, after: string): Case => ({
  rule,
  major,
  before: `import { ez } from "express-zod-api";\nimport { z } from "zod";\n${before}\n`,
  after: `import { ez } from "sallyport";\nimport { z } from "zod";\n${after}\n`,
});

export const schemaCases: readonly Case[] = [
  {
    rule: "with-meta",
    major: 18,
    before: `import { withMeta } from "express-zod-api";
import { z } from "zod";
export const name = withMeta(z.string()).example("Ada");
`,
    after: `import { z } from "zod";
export const name = z.string().meta({ examples: ["Ada"] });
`,
  },
  withEz(
    "files",
    23,
    `export const all = z.object({ a: ez.file(), b: ez.file("base64"), c: ez.file("binary"), d: ez.file().buffer(), e: ez.upload() });`,
    `export const all = z.object({ a: z.string(), b: z.base64(), c: z.union([z.string(), ez.buffer()]), d: ez.buffer(), e: ez.upload() });`,
  ),
  {
    rule: "own-z",
    major: 12,
    before: `import { z } from "express-zod-api";
export const all = z.object({ picture: z.upload(), at: z.dateIn(), text: z.file() });
`,
    after: `import { ez } from "sallyport";
import { z } from "zod";
export const all = z.object({ picture: ez.upload(), at: ez.dateIn(), text: z.string() });
`,
  },
  withEz(
    "raw-fields",
    18,
    `export const raw = ez.raw().extend({ name: z.string() });`,
    `export const raw = ez.raw({ name: z.string() });`,
  ),
  withEz(
    "date-examples",
    23,
    `export const all = z.object({ at: ez.dateIn().example("2026-01-01") });`,
    `export const all = z.object({ at: ez.dateIn({ examples: ["2026-01-01"] }) });`,
  ),
  schema(
    "examples",
    27,
    `const base = z.string();
export const all = z.object({ a: z.string().example("a").example("b").min(1), b: base.example("c") }).example({
  a: "a",
  b: "c",
});`,
    `const base = z.string();
export const all = z.object({ a: z.string().meta({ examples: ["a", "b"] }).min(1), b: base.meta({ examples: ["c"] }) }).meta({ examples: [{
  a: "a",
  b: "c",
}] });`,
  ),
  schema(
    "meta-example",
    24,
    `export const name = z.string().meta({ example: "Ada" });`,
    `export const name = z.string().meta({ examples: ["Ada"] });`,
  ),
  schema(
    "plugin-methods",
    28,
    `export const all = z.object({ a: z.string().deprecated(), b: z.number().default(1).label("one"), c: z.string().xBrand("c") });`,
    `export const all = z.object({ a: z.string().meta({ deprecated: true }), b: z.number().default(1).meta({ default: "one" }), c: z.string().meta({ "x-brand": "c" }) });`,
  ),
  schema(
    "remap",
    28,
    `export const user = z.object({ first_name: z.string(), "a-b": z.string() }).remap({ first_name: "firstName", "a-b": "ab" });
export const other = z.object({ a: z.string() }).remap((shape) => shape);`,
    `export const user = z.object({ first_name: z.string(), "a-b": z.string() }).transform(({ first_name, "a-b": field1, ...others }) => ({ ...others, firstName: first_name, ab: field1 }));
// TODO: Rename the fields in \`.transform()\`. #zod
export const other = z.object({ a: z.string() }).remap((shape) => shape);`,
    true,
  ),
  {
    rule: "get-examples",
    major: 22,
    before: `import { getExamples } from "express-zod-api";
import { z } from "zod";
const name = z.string();
export const one = getExamples(name);
export const two = getExamples({ schema: name, variant: "parsed" });
`,
    after: `import { z } from "zod";
const name = z.string();
export const one = (name.meta()?.examples ?? []);
// TODO: Examples are those of the input before a transformation. #zod
export const two = (name.meta()?.examples ?? []);
`,
  },
  {
    rule: "zod-import",
    major: 24,
    before: `import { z } from 'zod/v4';\nexport const name = z.string();\n`,
    after: `import { z } from 'zod';\nexport const name = z.string();\n`,
  },
  schema(
    "zod-coerce",
    23,
    `export const all = z.object({ a: z.number({ coerce: true }).int(), b: z.string({ coerce: true }) });`,
    `export const all = z.object({ a: z.coerce.number().int(), b: z.coerce.string() });`,
  ),
  schema(
    "zod-descriptions",
    23,
    `export const all = z.object({ a: z.string({ description: "a" }).min(1), b: z.array(z.string(), { message: "No", description: "b" }), description: z.string() });`,
    `export const all = z.object({ a: z.string().describe("a").min(1), b: z.array(z.string(), { message: "No" }).describe("b"), description: z.string() });`,
  ),
  {
    rule: "zod-errors",
    major: 23,
    before: `export const words = { required_error: "Required", invalid_type_error: "Wrong" };\n`,
    after: `export const words = { required_error: "Required", invalid_type_error: "Wrong" };\n`,
  },
  schema(
    "zod-errors",
    23,
    `export const name = z.string({ required_error: "Who?", invalid_type_error: "What?" });
export const age = z.number({ errorMap: () => ({ message: "Old" }) });`,
    `export const name = z.string({ error: (issue) => (issue.input === undefined ? "Who?" : "What?") });
// TODO: Zod 4 has \`error\`, a function that receives the issue. #zod
export const age = z.number({ errorMap: () => ({ message: "Old" }) });`,
    true,
  ),
  schema(
    "zod-records",
    23,
    `export const all = z.object({ a: z.record(z.number()), b: z.record(z.enum(["x"]), z.number()), c: z.record(z.string(), z.date()) });`,
    `export const all = z.object({ a: z.record(z.string(), z.number()), b: z.partialRecord(z.enum(["x"]), z.number()), c: z.record(z.string(), z.date()) });`,
  ),
  schema(
    "zod-enums",
    23,
    `export const role = z.nativeEnum({ admin: "admin" } as const);
export const admin = role.Enum.admin;`,
    `export const role = z.enum({ admin: "admin" } as const);
export const admin = role.enum.admin;`,
  ),
  schema(
    "zod-addresses",
    23,
    `export const all = z.object({ a: z.string().ip(), b: z.string().ip({ version: "v4" }).optional(), c: z.string().cidr() });`,
    `export const all = z.object({ a: z.union([z.ipv4(), z.ipv6()]), b: z.ipv4().optional(), c: z.union([z.cidrv4(), z.cidrv6()]) });`,
  ),
  schema(
    "zod-addresses",
    23,
    `export const all = z.object({ a: z.string().ip("No IP"), b: z.string().ip({ version: "v6", message: "No IPv6" }) });`,
    `export const all = z.object({ a: z.union([z.ipv4(), z.ipv6()], "No IP"), b: z.ipv6("No IPv6") });`,
  ),
  schema(
    "zod-defaults",
    23,
    `export const all = z.object({ a: z.string().transform(Number).default("1"), b: z.number().default(1) });`,
    `export const all = z.object({ a: z.string().transform(Number).prefault("1"), b: z.number().default(1) });`,
  ),
  schema(
    "zod-types",
    23,
    `export const keep = <T extends z.ZodTypeAny, O extends z.AnyZodObject>(one: T, two: O) => [one, two];
export const at: z.ZodType<Date, z.ZodTypeDef, string> = z.string().transform((text) => new Date(text));`,
    `export const keep = <T extends z.ZodType, O extends z.ZodObject>(one: T, two: O) => [one, two];
export const at: z.ZodType<Date, string> = z.string().transform((text) => new Date(text));`,
  ),
  schema(
    "zod-issues",
    23,
    `const parsed = z.string().safeParse(1);
export const first = parsed.error?.errors[0];
export const list = (error: unknown) => (error instanceof z.ZodError ? error.errors : []);`,
    `const parsed = z.string().safeParse(1);
export const first = parsed.error?.issues[0];
export const list = (error: unknown) => (error instanceof z.ZodError ? error.issues : []);`,
  ),
  schema(
    "zod-others",
    23,
    `const user = z.object({ a: z.string() });
export const some = user.deepPartial();
export const even = z.number().refine((one) => one % 2 === 0, (one) => ({ message: String(one) }));`,
    `const user = z.object({ a: z.string() });
// TODO: Zod 4 has no \`deepPartial\`: write the optional fields. #zod
export const some = user.deepPartial();
// TODO: Zod 4 takes \`{ error: (issue) => … }\` as the message. #zod
export const even = z.number().refine((one) => one % 2 === 0, (one) => ({ message: String(one) }));`,
    true,
  ),
];
