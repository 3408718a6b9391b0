import { jsonAdvice, otherAdvice } from "../api/json-advice.ts";
import type { Misfit } from "./misfits.ts";
import type { Kind, Wire } from "./wire.ts";

type Fixes = Readonly<Partial<Record<Kind, string>>>;

const ownKinds: ReadonlySet<Kind> = new Set(["buffer", "dateIn", "dateOut", "raw", "upload"]);

const forText: Fixes = {
  ...jsonAdvice.input,
  array: 'Split the string: z.string().transform((value) => value.split(","))',
  boolean: "Use z.stringbool()",
  coercedBoolean: "Use z.stringbool()",
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

const notJson = "which JSON cannot represent";

/** Why a schema does not fit a carrier, and what to use instead. */
const carriers: Readonly<Record<Wire["carrier"], { readonly why: string; readonly fixes: Fixes }>> =
  {
    json: { why: notJson, fixes: jsonAdvice.input },
    output: { why: notJson, fixes: jsonAdvice.output },
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
  carriers[wire.carrier].fixes[kind] ?? otherAdvice;
