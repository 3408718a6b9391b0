import { endpointMethods, methodFacts, type Method } from "../../basics/http/method.ts";
import { be, group, type Check } from "../../basics/messages/option-checks.ts";

export const inputSources = [
  "query",
  "params",
  "body",
  "files",
  "headers",
  "cookies",
  "signedCookies",
] as const;

/** A part of a request that can feed the input. */
export type InputSource = (typeof inputSources)[number];

/**
 * The parts of a request that feed the input, by method. Later parts override earlier ones; path parameters override
 * all of them.
 */
export type InputSources = Readonly<Record<Method, readonly InputSource[]>>;

export type SourcesByMethod = {
  readonly [M in keyof InputSources]?: InputSources[M] | undefined;
};

const isSourceList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => inputSources.some((known) => known === one));

const expected = `an array of ${inputSources.join(", ")}`;

const checksByMethod = Object.fromEntries(
  endpointMethods.map((method) => [method, be(expected, isSourceList)]),
);

export const sourcesByMethod: Check = group(checksByMethod);
export const endpointSources: Check = group(checksByMethod, [], isSourceList, () => expected);

/** The sources of an endpoint: one array for all its methods, or arrays by method. */
export type EndpointSources = readonly InputSource[] | SourcesByMethod;

export const toEndpointSources = (
  own: EndpointSources | undefined,
  configured: SourcesByMethod | undefined,
  method: Method,
): readonly InputSource[] =>
  (isList(own) ? own : own?.[method]) ?? configured?.[method] ?? methodFacts[method].sources;

// `Array.isArray` does not narrow readonly arrays
const isList = (sources: EndpointSources | undefined): sources is readonly InputSource[] =>
  Array.isArray(sources);

/** Puts path parameters last, so that a body field or a file of the same name cannot override them. */
export const toMergeOrder = (sources: readonly InputSource[]): readonly InputSource[] =>
  sources.includes("params")
    ? [...sources.filter((source) => source !== "params"), "params"]
    : sources;
