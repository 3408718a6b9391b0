import { takesRawBody } from "../schemas/raw.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { takesFiles } from "../schemas/upload.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import { listInputs, toPlace, type RoutingFacts, type Diagnostic } from "./diagnostic.ts";
import { MisfitFinder } from "./misfits.ts";
import type { Wire } from "./wire.ts";

/** Finds body and file schemas on routes without a body, and bodies on methods for which clients rarely send one. */
export const checkBodies = (
  entries: readonly EndpointEntry[],
  facts: RoutingFacts,
): readonly Diagnostic[] => [
  ...checkBodyOfGet(entries, facts),
  ...checkRawBodies(entries, facts),
  ...checkKeptBodies(entries, facts),
  ...checkUploads(entries, facts),
];

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-9.3.1 */
const checkBodyOfGet = (
  entries: readonly EndpointEntry[],
  { toSources }: RoutingFacts,
): readonly Diagnostic[] => {
  const entry = entries.find((one) => one.method === "get" && toSources(one).includes("body"));
  if (!entry) return [];
  return [
    {
      code: "SLP_WARN_GET_BODY",
      text: `\`inputSources.get\` includes "body", as for ${toPlace(entry)}, but browsers, caches and proxies drop the body of a GET. Remove it, and use POST for endpoints that need a body.`,
      meta: { method: entry.method, path: entry.path },
    },
  ];
};

const checkRawBodies = (
  entries: readonly EndpointEntry[],
  { toSources }: RoutingFacts,
): readonly Diagnostic[] => {
  const known = new Set<ZodSchema>();
  return entries.flatMap((entry): Diagnostic[] => {
    const sources = toSources(entry);
    if (sources.includes("body")) return [];
    const raw = listInputs(entry.endpoint).find(({ schema }) => takesRawBody(schema));
    if (!raw || known.has(raw.schema)) return [];
    known.add(raw.schema);
    return [
      {
        code: "SLP_WARN_NO_BODY",
        text: `the input of ${toPlace(entry)} is ez.raw(), but the body is not an input source of its method, so every request gets a 400. Serve it with POST or PUT, or add "body" to \`inputSources.${entry.method}\`.`,
        meta: { method: entry.method, path: entry.path, sources },
      },
    ];
  });
};

const checkKeptBodies = (
  entries: readonly EndpointEntry[],
  { toSources }: RoutingFacts,
): readonly Diagnostic[] => {
  const known = new Set<unknown>();
  return entries.flatMap((entry): Diagnostic[] => {
    const { endpoint, method, path } = entry;
    // the endpoint may also be served with a method that has a body
    const isKept = entries.some(
      (other) => other.endpoint === endpoint && toSources(other).includes("body"),
    );
    if (!endpoint.keepsRawBody || isKept || known.has(endpoint)) return [];
    known.add(endpoint);
    return [
      {
        code: "SLP_WARN_NO_BODY",
        text: `\`keepRawBody\` of ${toPlace(entry)} has no effect, because the body is not an input source of its method. Serve it with POST or PUT, or remove the option.`,
        meta: { method, path },
      },
    ];
  });
};

/** The values that can arrive in a request without files. */
const withoutFiles: Wire = {
  carrier: "json",
  kinds: new Set([
    ...(["string", "number", "boolean", "null", "array", "object", "undefined"] as const),
    ...(["bigint", "date", "dateOut", "map", "set", "symbol", "nan", "function"] as const),
    ...(["file", "buffer", "raw"] as const),
  ]),
  inner: () => withoutFiles,
};

const checkUploads = (
  entries: readonly EndpointEntry[],
  facts: RoutingFacts,
): readonly Diagnostic[] => {
  const finder = new MisfitFinder("input");
  const known = new Set<ZodSchema>();
  const uses = entries.flatMap((entry) =>
    listInputs(entry.endpoint)
      .filter(({ schema }) => takesFiles(schema))
      .map(({ schema }) => ({ entry, schema, obstacle: findObstacle(entry, facts) })),
  );
  return uses.flatMap(({ entry, schema, obstacle }): Diagnostic[] => {
    if (!obstacle || known.has(schema)) return [];
    // the optional files may be for another route that shares the schema
    const isMeantElsewhere = uses.some((one) => one.schema === schema && !one.obstacle);
    if (isMeantElsewhere && !finder.isDead(schema, withoutFiles)) return [];
    known.add(schema);
    return [
      {
        code: obstacle.code,
        text: `the input of ${toPlace(entry)} accepts files with ez.upload(), but ${obstacle.reason}.`,
        meta: { method: entry.method, path: entry.path },
      },
    ];
  });
};

/** Returns the reason why a route cannot receive files; undefined if it can. */
const findObstacle = (
  entry: EndpointEntry,
  { toSources, takesUploads, hasNativeParsers }: RoutingFacts,
): { readonly code: Diagnostic["code"]; readonly reason: string } | undefined => {
  const sources = toSources(entry);
  const lacking = (["body", "files"] as const).filter((source) => !sources.includes(source));
  const option = `inputSources.${entry.method}`;
  if (!sources.includes("files") || (lacking.length > 0 && !hasNativeParsers))
    return {
      code: "SLP_WARN_UPLOAD_SOURCE",
      reason:
        entry.method === "get"
          ? "a GET request has no files. Serve it with POST"
          : `\`${option}\` lacks ${lacking.map((source) => `"${source}"`).join(" and ")}. Extend the option, or serve the endpoint with POST`,
    };
  if (takesUploads || hasNativeParsers) return undefined;
  return {
    code: "SLP_WARN_UPLOAD_OFF",
    reason: "uploads are off. Set `upload: true` in the configuration",
  };
};
