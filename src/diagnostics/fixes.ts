import type { Misfit } from "./misfits.ts";
import type { Kind, Wire } from "./wire.ts";

const ownNames: Readonly<Partial<Record<Kind, string>>> = {
  buffer: "ez.buffer()",
  dateIn: "ez.dateIn()",
  dateOut: "ez.dateOut()",
  raw: "ez.raw()",
  upload: "ez.upload()",
};

const toName = ({ kind, schema }: Misfit): string =>
  ownNames[kind] ?? `z.${schema._zod.def.type}()`;

const forJson: Readonly<Partial<Record<Kind, string>>> = {
  bigint: "Use z.coerce.bigint(), which accepts strings and numbers",
  buffer:
    "Use ez.raw() for a body of bytes, ez.upload() for a file, or z.base64() for bytes in a string",
  date: "Use ez.dateIn(), which accepts ISO 8601 strings",
  dateOut: "Use ez.dateIn(); ez.dateOut() is for outputs",
  file: "Use ez.upload()",
  map: "Use z.record(), and .transform() to a Map",
  nan: "Use z.number() or z.null()",
  never: "Remove it, or add .optional() to forbid the key",
  set: "Use z.array(), and .transform() to a Set",
  symbol: "Use z.enum()",
};

const forText: Readonly<Partial<Record<Kind, string>>> = {
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

const forPath: Readonly<Partial<Record<Kind, string>>> = {
  ...forText,
  array: 'Use a wildcard at the end of the path, such as "*rest", or split the string',
  object: "Give each value its own parameter",
};

const forOutput: Readonly<Partial<Record<Kind, string>>> = {
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

export const toReason = (misfit: Misfit): string => {
  if (misfit.kind === "never") return "accepts no value at all";
  if (misfit.kind === "coercedBoolean")
    return 'is z.coerce.boolean(), which turns every non-empty string into true, even "false"';
  const name = toName(misfit);
  const reasons: Readonly<Record<Wire["carrier"], string>> = {
    json: `is ${name}, which JSON cannot represent`,
    output: `is ${name}, which JSON cannot represent`,
    path: `is ${name}, but a path parameter is a string`,
    text: `is ${name}, but a query has only strings`,
    wildcard: `is ${name}, but a wildcard returns an array of strings`,
  };
  return reasons[misfit.wire.carrier];
};

const fixes: Readonly<Record<Wire["carrier"], Readonly<Partial<Record<Kind, string>>>>> = {
  json: forJson,
  output: forOutput,
  path: forPath,
  text: forText,
  wildcard: { ...forText, string: "Use z.array(z.string())" },
};

export const toFix = ({ kind, wire: { carrier } }: Misfit): string =>
  fixes[carrier][kind] ?? "Use another type, or combine several types with z.union";
