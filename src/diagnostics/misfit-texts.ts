import type { Misfit } from "./misfits.ts";
import type { Kind, Wire } from "./wire.ts";

type Fixes = Readonly<Partial<Record<Kind, string>>>;

const ownKinds: ReadonlySet<Kind> = new Set(["buffer", "dateIn", "dateOut", "raw", "upload"]);

const forJson: Fixes = {
  bigint: "Use z.coerce.bigint(), which accepts strings and numbers",
  buffer:
    "Use ez.raw() for a body of bytes, ez.upload() for a file, or z.base64() for bytes in a string",
  date: "Use ez.dateIn(), which accepts ISO 8601 strings",
  dateOut: "Use ez.dateIn(); ez.dateOut() is for outputs",
  file: "Use ez.upload()",
  map: "Use z.record(), and .transform() to a Map",
  nan: "Use z.number() or z.null()",
  never: "Remove it, or add .optional() to forbid the key",
  stream: "Use ez.raw(); ez.stream() is for outputs",
  set: "Use z.array(), and .transform() to a Set",
  symbol: "Use z.enum()",
};

const forText: Fixes = {
  ...forJson,
  array: 'Split the string: z.string().transform((value) => value.split(","))',
  boolean: "Use z.stringbool()",
  coercedBoolean: "Use z.stringbool()",
  bigint: "Use z.coerce.bigint()",
  nan: "Use z.coerce.number()",
  null: "Use .optional() for values that may be missing",
  number: "Use z.coerce.number(), or strings for z.literal and z.enum",
  object:
    'Give each value its own name, set `queryParser: "extended"`, or take a JSON string and transform it',
};

const forPath: Fixes = {
  ...forText,
  array: 'Use a wildcard at the end of the path, such as "*rest", or split the string',
  object: "Give each value its own parameter",
};

const forOutput: Fixes = {
  bigint: "Send a string: add .transform(String)",
  dateIn: "Use ez.dateOut(); ez.dateIn() is for inputs",
  file: "Send the bytes of the file with your own result handler",
  map: "Add .transform((map) => Object.fromEntries(map))",
  nan: "NaN becomes null: use z.number().nullable()",
  never: "Remove it, or add .optional()",
  raw: "Send bytes with your own result handler, or as a base64 string; ez.raw() is for inputs",
  set: "Add .transform((set) => [...set])",
  symbol: "Use z.enum()",
  upload: "Send the file's name, size or URL; ez.upload() is for inputs",
};

const notJson = "which JSON cannot represent";

/** Why a schema does not fit a carrier, and what to use instead. */
const carriers: Readonly<Record<Wire["carrier"], { readonly why: string; readonly fixes: Fixes }>> =
  {
    json: { why: notJson, fixes: forJson },
    output: { why: notJson, fixes: forOutput },
    path: { why: "but a path parameter is a string", fixes: forPath },
    text: { why: "but a query has only strings", fixes: forText },
    wildcard: {
      why: "but a wildcard returns an array of strings",
      fixes: { ...forText, string: "Use z.array(z.string())" },
    },
  };

export const toReason = ({ kind, schema, wire }: Misfit): string => {
  if (kind === "never") return "accepts no value at all";
  if (kind === "coercedBoolean")
    return 'is z.coerce.boolean(), which turns every non-empty string into true, even "false"';
  const isOwn = ownKinds.has(kind) || schema._zod.def.type === "custom";
  const name = isOwn ? `ez.${kind}()` : `z.${schema._zod.def.type}()`;
  return `is ${name}, ${carriers[wire.carrier].why}`;
};

export const toFix = ({ kind, wire }: Misfit): string =>
  carriers[wire.carrier].fixes[kind] ?? "Use another type, or combine several types with z.union";
