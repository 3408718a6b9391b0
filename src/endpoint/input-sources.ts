import type { Method } from "../http/method.ts";

/** The parts of a request that can feed the input. */
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

/** Which parts of the request feed the input, for each method; a later one wins, path parameters always. */
export type InputSources = Readonly<Record<Method, readonly InputSource[]>>;

/** The sources that an unconfigured server uses. */
export const defaultInputSources: InputSources = {
  get: ["query", "params"],
  post: ["body", "params", "files"],
  put: ["body", "params"],
  patch: ["body", "params"],
  delete: ["query", "params"],
};

/** Puts path parameters last, so that no body field or file of the same name replaces the id that was routed. */
export const toMergeOrder = (sources: readonly InputSource[]): readonly InputSource[] =>
  sources.includes("params")
    ? [...sources.filter((source) => source !== "params"), "params"]
    : sources;
