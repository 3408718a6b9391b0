import type { z } from "zod";
import type { Operation } from "../api/operation.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { listSameValue, walkSchemas } from "../../basics/schemas/some-schema.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";
import { takesFiles } from "../../basics/schemas/bodies.ts";
import { report, type Diagnostic, type Warning, type RoutingFacts } from "./diagnostic.ts";

/** Finds path parameters that an endpoint's input lacks or declares as optional. */
export const checkPathParameters = (operations: readonly Operation[]): readonly Diagnostic[] =>
  report(operations, (operation) => {
    const { path, sources } = operation;
    if (!sources.includes("params")) return [];
    const toWarning = (code: Diagnostic["code"], name: string, why: string): Warning => ({
      ...{ at: `${path} ${name}`, code, meta: { parameter: name } },
      text: `the path parameter :${name} of ${path} is ${why}.`,
    });
    return [
      ...listMissing(operation).map((name) => {
        const why = `missing from the endpoint's input schema, so the handler never receives it. Add \`${name}\` to \`input\``;
        return toWarning("SLP_WARN_PATH_PARAMETER", name, why);
      }),
      ...listOptional(operation, operations).map((name) => {
        const why = `optional in the endpoint's input schema, although every path contains it. Make \`${name}\` of \`input\` required`;
        return toWarning("SLP_WARN_PATH_PARAMETER_OPTIONAL", name, why);
      }),
    ];
  });

const listMissing = ({ parameters, inputs }: Operation): readonly string[] => {
  if (parameters.length === 0) return [];
  const levels = inputs.map((schema) => readTopLevel(schema));
  if (levels.some(({ others }) => others === "keep" || others === "unknown")) return [];
  return parameters.filter((name) => !levels.some(({ fields }) => fields.has(name)));
};

/** Lists the optional path parameters, unless another path lacks them or a middleware declares them, too. */
const listOptional = (
  { endpoint: { inputSchema: own, middlewares }, parameters }: Operation,
  operations: readonly Operation[],
): readonly string[] => {
  if (!own) return [];
  const declared = middlewares.flatMap(({ inputSchema }) => inputSchema ?? []);
  return parameters.filter(
    (name) =>
      isOptional(own, name) &&
      !declared.some((schema) => readTopLevel(schema).fields.has(name)) &&
      !operations.some(
        (other) => other.endpoint.inputSchema === own && !other.parameters.includes(name),
      ),
  );
};

/** Checks whether a schema definitely makes a field optional: without alternatives or functions. */
const isOptional = (schema: ZodSchema, name: string): boolean => {
  const fields = [...walkSchemas(schema, listSameValue)].flatMap((part) => {
    const { def } = (part as z.core.$ZodTypes)._zod;
    return def.type === "object" && Object.hasOwn(def.shape, name) ? (def.shape[name] ?? []) : [];
  });
  return fields.length > 0 && fields.every(isOptionalField);
};

const isOptionalField = (field: ZodSchema): boolean =>
  [...walkSchemas(field, listOuterParts)].some(({ _zod }) =>
    ["optional", "default", "prefault"].includes(_zod.def.type),
  );

const listOuterParts = (schema: ZodSchema): readonly ZodSchema[] =>
  ["pipe", "nullable", "readonly"].includes(schema._zod.def.type) ? listSameValue(schema) : [];

/** Finds fields that no source of their route provides, such as those beside a raw body. */
export const checkSources = (
  operations: readonly Operation[],
  facts: RoutingFacts,
): readonly Diagnostic[] => {
  const lacking = new Map(operations.map((one) => [one, listLacking(one, facts)]));
  return report(operations, (operation) => {
    const { sources, route, body, endpoint } = operation;
    const { inputSchema: at } = endpoint;
    // the fields may be for another route that shares the schema
    const isMeantElsewhere = operations.some(
      (other) => other.endpoint.inputSchema === at && lacking.get(other)?.length === 0,
    );
    if (isMeantElsewhere) return [];
    const fields = lacking.get(operation) ?? [];
    const named = fields.map((field) => `\`input.${field}\``).join(", ");
    const reason = sources.includes("headers")
      ? `a header field: \`headers\` as an input source has only the fields that begin with \`x-\`, in lower case. Declare others in \`headers\` of the endpoint or middleware.`
      : `any input source of the route, which has ${sources.join(", ")}${body.kind === "raw" ? " and a raw body" : ""}. Add "query" to \`inputSources\` of the endpoint, or make it a path parameter.`;
    const text = `${named} of ${route} cannot come from ${reason}`;
    return [{ at, code: "SLP_WARN_INPUT_SOURCE", text, meta: { fields } }];
  });
};

/** Checks whether a name can only be meant as a header field that `headers` as a source does not have. */
const isHeaderField = (name: string): boolean =>
  /^(?!x-)(?:[a-z]+-[a-z-]+|accept|authorization|cookie|host|origin|referer)$/i.test(name);

const listLacking = (
  { endpoint: { inputSchema, middlewares }, sources, parameters, body }: Operation,
  { hasNativeParsers }: RoutingFacts,
): readonly string[] => {
  // a native middleware may add fields to any source
  if (!inputSchema || hasNativeParsers || middlewares.some(({ native }) => native)) return [];
  const isRaw = body.kind === "raw";
  const passed = new Set(["params", "files", "headers", ...(isRaw ? ["body"] : [])]);
  const hasHeaders = sources.includes("headers");
  // a query or a body may have any field, but nobody sends header fields in them
  if (!sources.every((source) => passed.has(source)))
    return hasHeaders ? [...readTopLevel(inputSchema).fields.keys()].filter(isHeaderField) : [];
  return [...readTopLevel(inputSchema).fields]
    .filter(
      ([name, field]) =>
        !parameters.includes(name) &&
        !(isRaw && name === "raw") &&
        !takesFiles(field) &&
        !(hasHeaders && /^x-[^A-Z]*$/.test(name)),
    )
    .map(([name]) => name);
};
