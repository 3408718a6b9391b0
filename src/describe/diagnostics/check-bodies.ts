import type { Operation } from "../api/operation.ts";
import { takesFiles, takesRawBody } from "../../basics/schemas/bodies.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { report, type Diagnostic, type RoutingFacts } from "./diagnostic.ts";
import { MisfitFinder } from "./misfits.ts";
import { withoutFiles } from "./wire.ts";

/** Finds body and file schemas on routes without a body, and bodies on methods for which clients rarely send one. */
export const checkBodies = (
  operations: readonly Operation[],
  facts: RoutingFacts,
): readonly Diagnostic[] => [
  ...checkBodyOfGet(operations),
  ...checkRawBodies(operations),
  ...checkUploads(operations, facts),
];

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-9.3.1 */
const checkBodyOfGet = (operations: readonly Operation[]): readonly Diagnostic[] =>
  report(operations, ({ isRetrieval, hasBody, route }) => {
    if (!isRetrieval || !hasBody) return [];
    const text = `\`inputSources.get\` includes "body", as for ${route}, but browsers, caches and proxies drop the body of a GET. Remove it, and use POST or QUERY for endpoints that need a body.`;
    return [{ at: "inputSources", code: "SLP_WARN_GET_BODY", text }];
  });

const checkRawBodies = (operations: readonly Operation[]): readonly Diagnostic[] =>
  report(operations, ({ sources, method, route, hasBody, inputs }) => {
    const raw = hasBody ? undefined : inputs.find(takesRawBody);
    if (!raw) return [];
    const text = `the input of ${route} is ez.raw(), but the body is not an input source of its method, so every request gets a 400. Serve it with POST or PUT, or add "body" to \`inputSources.${method}\`.`;
    return [{ at: raw, code: "SLP_WARN_NO_BODY", text, meta: { sources } }];
  });

const checkUploads = (
  operations: readonly Operation[],
  facts: RoutingFacts,
): readonly Diagnostic[] => {
  const finder = new MisfitFinder("input");
  const capable = operations.filter((operation) => !findObstacle(operation, facts));
  const fitting = new Set(capable.flatMap(({ inputs }) => inputs));
  return report(operations, (operation) => {
    const { code, reason } = findObstacle(operation, facts) ?? {};
    if (!code) return [];
    const text = `the input of ${operation.route} accepts files with ez.upload(), but ${reason}.`;
    // optional files may be for another route that shares the schema
    const isWrong = (schema: ZodSchema): boolean =>
      !fitting.has(schema) || finder.find(schema, withoutFiles).acceptsNothing;
    const schemas = operation.inputs.filter((schema) => takesFiles(schema) && isWrong(schema));
    return schemas.map((at) => ({ at, code, text }));
  });
};

const findObstacle = (
  { sources, method, isRetrieval }: Operation,
  { takesUploads, hasNativeParsers }: RoutingFacts,
): { readonly code: Diagnostic["code"]; readonly reason: string } | undefined => {
  const lacking = (["body", "files"] as const).filter((source) => !sources.includes(source));
  if (!sources.includes("files") || (lacking.length > 0 && !hasNativeParsers))
    return {
      code: "SLP_WARN_UPLOAD_SOURCE",
      reason: isRetrieval
        ? "a GET request has no files. Serve it with POST"
        : `\`inputSources.${method}\` lacks ${lacking.map((source) => `"${source}"`).join(" and ")}. Extend the option, or serve the endpoint with POST`,
    };
  if (takesUploads || hasNativeParsers) return undefined;
  const reason = "uploads are off. Set `upload: true` in the configuration";
  return { code: "SLP_WARN_UPLOAD_OFF", reason };
};
