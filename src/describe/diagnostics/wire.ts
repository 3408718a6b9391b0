import type { InputSource } from "../../define/endpoint/input-sources.ts";
import type { Operation } from "../api/operation.ts";

export type Kind =
  | ("string" | "number" | "boolean" | "null" | "array" | "object" | "undefined")
  | ("bigint" | "date" | "map" | "set" | "symbol" | "nan" | "function" | "file" | "stream")
  | ("buffer" | "raw" | "upload" | "dateIn" | "dateOut" | "never" | "coercedBoolean");

/** The values that are possible at a place in the input or the output. */
export interface Wire {
  readonly carrier: "json" | "text" | "path" | "wildcard" | "output";
  readonly kinds: Pick<ReadonlySet<Kind>, "has">;
  /** Returns the values that are possible for a key, or for the elements of an array; undefined if unknown. */
  readonly inner: (key?: string) => Wire | undefined;
}

/** Creates a wire; unless `inner` is given, the same values are possible within it. */
const toWire = (carrier: Wire["carrier"], kinds: readonly Kind[], inner?: Wire): Wire => {
  const wire: Wire = { carrier, kinds: new Set(kinds), inner: () => inner ?? wire };
  return wire;
};

/** The kinds for files and raw bodies, which other checks cover. */
const bodies: readonly Kind[] = ["upload", "raw"];
const jsonKinds: readonly Kind[] = ["string", "number", "boolean", "null", "array", "object"];

const json = toWire("json", [...bodies, ...jsonKinds]);
const pathText = toWire("path", [...bodies, "string"]);

/** Headers, cookies, and a query as the `simple` parser returns it; repeated names become arrays. */
const texts = toWire("text", [...bodies, "string", "array"], toWire("text", [...bodies, "string"]));

/** A form, whose fields are strings or, for repeated names, arrays of strings. */
export const formWire = toWire("text", ["object"], texts);

/** A query as the `extended` parser returns it. */
const textTree = toWire("text", [...bodies, "string", "array", "object"]);

const wildcard = toWire(
  "wildcard",
  [...bodies, "array"],
  toWire("wildcard", [...bodies, "string"]),
);

/** A request without files, where anything else counts as possible. */
export const withoutFiles: Wire = {
  carrier: "json",
  kinds: { has: (kind) => kind !== "upload" },
  inner: () => withoutFiles,
};

const textSources = new Set<InputSource>(["query", "headers", "cookies", "signedCookies"]);

type Taker = Pick<Operation, "queryParser" | "segments" | "sources">;

/** Returns the values that are possible for a field other than a path parameter; undefined if unknown. */
const toFieldWire = ({ sources, queryParser }: Taker): Wire | undefined => {
  if (sources.includes("body")) return json;
  if (!sources.some((source) => textSources.has(source))) return undefined;
  if (!sources.includes("query") || queryParser === "simple") return texts;
  return queryParser === "extended" ? textTree : undefined;
};

export const toInputWire = (operation: Taker): Wire => {
  const { sources, segments } = operation;
  const field = toFieldWire(operation);
  const parameters = new Map<string, Wire>();
  if (sources.includes("params"))
    for (const segment of segments)
      for (const name of segment.names)
        parameters.set(name, segment.kind === "rest" ? wildcard : pathText);
  return {
    carrier: field?.carrier ?? "json",
    kinds: new Set<Kind>(["object"]),
    inner: (key) => (key === undefined ? field : (parameters.get(key) ?? field)),
  };
};

/** The kinds that JSON cannot represent unless the application has defined `toJSON` for them. */
const extendableKinds: readonly (readonly [Kind, object])[] = [
  ["bigint", BigInt.prototype],
  ["map", Map.prototype],
  ["set", Set.prototype],
  ["symbol", Symbol.prototype],
  ["function", Function.prototype],
];

/** Returns what `JSON.stringify` can write: dates as strings, a Buffer as an array of bytes; undefined is omitted. */
export const toOutputWire = (): Wire => {
  const extended = extendableKinds.filter(([, prototype]) => "toJSON" in prototype);
  return toWire("output", [
    ...jsonKinds,
    ...(["undefined", "date", "dateOut", "buffer"] as const),
    ...extended.map(([kind]) => kind),
  ]);
};
