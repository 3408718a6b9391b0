import { isResultHandler, type AnyResultHandler } from "../results/result-handler.ts";
import { defaultResultHandler } from "../results/default-result-handler.ts";
import type { CommonConfig } from "./config/config.ts";

/** Returns the result handler for the errors of a path without an endpoint. */
export type FindErrorHandler = (path: string) => AnyResultHandler;

/** Creates the function that chooses the error handler with the longest prefix of a path. */
export const createErrorHandlerSearch = (
  configured: CommonConfig["errorHandler"] = defaultResultHandler,
  caseSensitive = true,
): FindErrorHandler => {
  if (isResultHandler(configured)) return () => configured;
  const { "/": rest = defaultResultHandler, ...others } = configured;
  const prefixes = Object.entries(others).toSorted(([one], [other]) => other.length - one.length);
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  return (path) => {
    const [whole = ""] = fold(path).split(/[?#]/, 1);
    const found = prefixes.find(([prefix]) => `${whole}/`.startsWith(`${fold(prefix)}/`));
    return found?.[1] ?? rest;
  };
};
