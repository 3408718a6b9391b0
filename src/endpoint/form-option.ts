import { DefinitionError } from "../errors.ts";
import { isForm } from "../schemas/form.ts";
import { takesRawBody } from "../schemas/raw.ts";
import { takesFiles } from "../schemas/upload.ts";
import type { AnyEndpoint } from "./endpoint.ts";

/** Checks whether the input of an endpoint, or of one of its middlewares, is declared as a form, files or bytes. */
export const declaresBodyType = ({ middlewares, inputSchema }: AnyEndpoint): boolean =>
  [...middlewares, { inputSchema }].some(
    ({ inputSchema: schema }) =>
      schema !== undefined && (isForm(schema) || takesFiles(schema) || takesRawBody(schema)),
  );

/**
 * Schemas may refer to others that are declared after the endpoint, so this is checked at startup.
 *
 * @throws {@link DefinitionError} when an endpoint that rejects forms declares one.
 */
export const assertForms = (endpoint: AnyEndpoint, where: string): void => {
  if (endpoint.takesForms !== false || !declaresBodyType(endpoint)) return;
  throw new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `${where}: \`forms: false\` contradicts the input, which is declared with ez.form(), ez.upload() or ez.raw(). Remove one of the two.`,
  );
};
