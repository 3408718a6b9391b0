import { show } from "../messages/show.ts";
import { DefinitionError } from "../errors.ts";
import { ez } from "./ez.ts";
import { isSchema, type ZodSchema } from "./schema.ts";

/** Asserts that objects, arrays and wrappers contain only schemas, to find functions that were not called. */
export const assertInnerSchemas = (
  where: string,
  name: string,
  schema: ZodSchema,
  seen = new Set<ZodSchema>(),
): void => {
  if (seen.has(schema)) return;
  seen.add(schema);
  for (const [place, inner] of listInner(schema)) {
    if (!isSchema(inner)) throw toError(where, name + place, inner);
    assertInnerSchemas(where, name + place, inner, seen);
  }
};

const listInner = ({ _zod }: ZodSchema): readonly (readonly [place: string, inner: unknown])[] => {
  const def = _zod.def as unknown as Readonly<Record<string, unknown>>;
  if (def["type"] === "object")
    return Object.entries(def["shape"] as object).map(([name, field]) => [`.${name}`, field]);
  if (def["type"] === "array") return [["[]", def["element"]]];
  return "innerType" in def ? [["", def["innerType"]]] : [];
};

const toError = (where: string, name: string, value: unknown): DefinitionError => {
  const own = Object.entries(ez).find(([, create]) => create === value)?.[0];
  const call = own === undefined ? "z.string()" : `ez.${own}()`;
  const fault =
    typeof value === "function"
      ? `a function, not a schema. Call it, as in ${call}.`
      : `${show(value)}, not a schema. Use one, such as ${call}.`;
  return new DefinitionError("SLP_DEFINITION_SCHEMA", `${where}: \`${name}\` is ${fault}`);
};
