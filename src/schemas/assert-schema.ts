import { show } from "../messages/show.ts";
import { DefinitionError } from "../errors.ts";
import { isSchema, type ZodSchema } from "./schema.ts";

/** Returns a value that must be a schema; `what` names it at the beginning of the message. */
export const toSchema = (
  what: string,
  value: unknown,
  example = "z.object({ ... })",
): ZodSchema => {
  if (isSchema(value)) return value;
  throw new DefinitionError(
    "SLP_DEFINITION_SCHEMA",
    `${what} must be a Zod 4 schema, such as ${example}; got ${show(value)}.`,
  );
};

/** @throws {@link DefinitionError} when the fields are not an object of schemas. */
export const assertShape = (where: string, fields: unknown): void => {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields) || isSchema(fields))
    throw new DefinitionError(
      "SLP_DEFINITION_SCHEMA",
      `${where}: the argument must be an object of fields, such as { name: z.string() }; got ${show(fields)}${isSchema(fields) ? ": pass its `shape`" : ""}.`,
    );
  for (const [name, field] of Object.entries(fields))
    toSchema(`${where}: the field \`${name}\``, field, "z.string()");
};
