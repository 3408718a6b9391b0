import { DefinitionError } from "../errors.ts";
import { isSchema } from "./schema.ts";

/** @throws {@link DefinitionError} when it is not an object of schemas. */
export const assertShape = (where: string, fields: unknown): void => {
  const isShape =
    typeof fields === "object" && fields !== null && !Array.isArray(fields) && !isSchema(fields);
  const wrong = isShape ? Object.entries(fields).find(([, field]) => !isSchema(field)) : undefined;
  if (isShape && !wrong) return;
  throw new DefinitionError(
    "SLP_DEFINITION_SCHEMA",
    wrong
      ? `${where}: the field \`${wrong[0]}\` must be a Zod 4 schema, such as z.string(); got ${typeof wrong[1]}.`
      : `${where}: the argument must be an object of fields, such as { name: z.string() }; got ${isSchema(fields) ? "a schema: pass its `shape`" : typeof fields}.`,
  );
};
