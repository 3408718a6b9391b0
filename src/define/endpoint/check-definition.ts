import { DefinitionError } from "../../basics/errors.ts";
import { endpointMethods, isMethod, type Method } from "../../basics/http/method.ts";
import { show } from "../../basics/messages/show.ts";
import { be, isFunction, toLabel, type Check } from "../../basics/messages/option-checks.ts";
import { readContent } from "../../basics/schemas/content.ts";
import { isOtherKind, toSchema, type ZodSchema } from "../../basics/schemas/schema.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";

export const anObjectSchema: Check = (schema, name, wording) => {
  const label = toLabel(wording, name);
  const { type } = toSchema(label, schema)._zod.def;
  if (!isOtherKind(type)) return;
  throw new DefinitionError(
    "SLP_DEFINITION_SCHEMA",
    `${label} must be an object schema; got a schema of kind ${type}. Wrap it, as in z.object({ items: z.array(...) }).`,
  );
};

export const aHeaderSchema: Check = (schema, name, wording) => {
  anObjectSchema(schema, name, wording);
  const names = [...readTopLevel(schema as ZodSchema).fields.keys()];
  const wrong = names.find((field) => !/^[!#$%&'*+.^_`|~\da-z-]+$/.test(field));
  if (names.length > 0 && wrong === undefined) return;
  throw new DefinitionError(
    "SLP_DEFINITION_SCHEMA",
    `${toLabel(wording, name)} must be an object schema that names header fields in lower case, as in z.object({ "if-match": z.string() }); ${wrong === undefined ? "it names none" : `got the name ${show(wrong)}`}.`,
  );
};

/** Checks that a value is a factory, even one made by another copy of this package. */
export const anEndpointsFactory: Check = be(
  "an endpoints factory, such as `defaultEndpointsFactory`",
  (value) => isFunction(Reflect.get(Object(value) as object, "buildVoid")),
);

export const toMethods = (where: string, declared: unknown): readonly Method[] | undefined => {
  if (declared === undefined) return undefined;
  const methods: readonly unknown[] = Array.isArray(declared) ? declared : [declared];
  const wrong = methods.find((method) => typeof method !== "string" || !isMethod(method));
  if (methods.length > 0 && wrong === undefined) return [...new Set(methods as Method[])];
  throw new DefinitionError(
    "SLP_DEFINITION_METHOD",
    `${where}: \`method\` must be one or more of ${endpointMethods.join(", ")}, in lower case; got ${show(wrong ?? declared)}.`,
  );
};

/** Rejects a generator function, which would never run, except an asynchronous one whose pieces are the response. */
export const checkNoGenerator = (
  where: string,
  name: string,
  handler: unknown,
  output?: ZodSchema,
): void => {
  const tag = Object.prototype.toString.call(handler);
  if (!tag.includes("Generator")) return;
  if (tag.includes("Async") && output && readContent(output)?.kind === "stream") return;
  throw new DefinitionError(
    "SLP_DEFINITION_HANDLER",
    `${where}: \`${name}\` is a generator function, which would never run. Use an async function; only the handler of an endpoint with \`output: ez.stream()\` may be an async generator function.`,
  );
};
