import type { InputSource } from "../../endpoint/input-sources.ts";
import { listNames, parsePathPattern } from "../path-pattern.ts";
import type { EndpointEntry } from "../walk-routing.ts";
import type { RoutingFacts } from "./diagnostic.ts";
import type { Kind } from "./kinds.ts";

/** What can come or go at a place of the input or of the output. */
export interface Wire {
  readonly carrier: "json" | "text" | "path" | "wildcard" | "output";
  readonly kinds: ReadonlySet<Kind>;
  /** What comes under a key, or in a list; undefined where that is not known. */
  readonly inner: (key?: string) => Wire | undefined;
}

/** What is said of files and raw bodies elsewhere. */
const bodies: readonly Kind[] = ["upload", "raw"];

const json: Wire = {
  carrier: "json",
  kinds: new Set([...bodies, "string", "number", "boolean", "null", "array", "object"]),
  inner: () => json,
};

const toText = (carrier: Wire["carrier"]): Wire => {
  const text: Wire = { carrier, kinds: new Set([...bodies, "string"]), inner: () => text };
  return text;
};

const pathText = toText("path");
const plainText = toText("text");
const wildcardText = toText("wildcard");

/** A query as `simple` parses it, headers and cookies: a name that is repeated has a list. */
const texts: Wire = {
  carrier: "text",
  kinds: new Set([...bodies, "string", "array"]),
  inner: () => plainText,
};

/** The fields of a form. */
export const formWire: Wire = { carrier: "text", kinds: new Set(["object"]), inner: () => texts };

/** A query as `extended` parses it. */
const textTree: Wire = {
  carrier: "text",
  kinds: new Set([...bodies, "string", "array", "object"]),
  inner: () => textTree,
};

const wildcard: Wire = {
  carrier: "wildcard",
  kinds: new Set([...bodies, "array"]),
  inner: () => wildcardText,
};

const textSources: ReadonlySet<InputSource> = new Set([
  "query",
  "headers",
  "cookies",
  "signedCookies",
]);

/** What comes under a name that is no path parameter; undefined where that is not known. */
const toFieldWire = (
  sources: readonly InputSource[],
  { queryParser }: RoutingFacts,
): Wire | undefined => {
  if (sources.includes("body")) return json;
  if (!sources.some((source) => textSources.has(source))) return undefined;
  if (!sources.includes("query") || queryParser === "simple") return texts;
  return queryParser === "extended" ? textTree : undefined;
};

/** What can come as the input of a route. */
export const toInputWire = (entry: EndpointEntry, facts: RoutingFacts): Wire => {
  const sources = facts.toSources(entry);
  const field = toFieldWire(sources, facts);
  const parameters = new Map<string, Wire>();
  if (sources.includes("params"))
    for (const segment of parsePathPattern(entry.path))
      for (const name of listNames(segment))
        parameters.set(name, segment.kind === "rest" ? wildcard : pathText);
  return {
    carrier: field?.carrier ?? "json",
    kinds: new Set(["object"]),
    inner: (key) => (key === undefined ? field : (parameters.get(key) ?? field)),
  };
};

/** Kinds that JSON cannot write unless the application has taught them to. */
const teachable: readonly (readonly [Kind, object])[] = [
  ["bigint", BigInt.prototype],
  ["map", Map.prototype],
  ["set", Set.prototype],
  ["symbol", Symbol.prototype],
  ["function", Function.prototype],
];

/** What `JSON.stringify` can write: dates as ISO text, a Buffer as a list of bytes, and what is undefined is left out. */
export const toOutputWire = (): Wire => {
  const taught = teachable.flatMap(([kind, prototype]) => ("toJSON" in prototype ? [kind] : []));
  const wire: Wire = {
    carrier: "output",
    kinds: new Set([
      ...(["string", "number", "boolean", "null", "array", "object"] as const),
      ...(["undefined", "date", "dateOut", "buffer"] as const),
      ...taught,
    ]),
    inner: () => wire,
  };
  return wire;
};
