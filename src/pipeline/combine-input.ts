import type { Request } from "express";
import type { InputSource } from "../endpoint/input-sources.ts";
import { RequestError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import { unreadQuery, type Query, type UnreadQuery } from "../http/query.ts";
import { parseLimitedQuery } from "./limited-query.ts";
import { copyOwn } from "./copy-own.ts";
import { readSource } from "./read-source.ts";

/** The sources of a request, merged into one object without a prototype. */
export type CombinedInput = Record<string, unknown>;

/**
 * Merges the sources of a request into one input; later sources override earlier ones.
 *
 * @param fileLists the fields in which a single file is put into an array
 * @param textLists the fields in which a single value from a query or a form is put into an array
 * @throws {@link RequestError} when the body is an array.
 */
export const combineInput = (
  request: Request,
  sources: readonly InputSource[],
  fileLists: readonly string[] = [],
  textLists: readonly string[] = [],
): CombinedInput => {
  const input: CombinedInput = new BareObject();
  for (let index = 0; index < sources.length; index++) {
    const source = sources[index] as InputSource;
    if (index === 0 && source === "query" && takeQuery(request, input)) {
      if (textLists.length > 0) toLists(input, input, textLists);
      continue;
    }
    const part: unknown = readSource(request, source);
    if (typeof part !== "object" || part === null || Buffer.isBuffer(part)) continue;
    if (Array.isArray(part)) {
      if (source === "body") throw new RequestError("SLP_BODY_NOT_OBJECT");
      continue;
    }
    copyOwn(input, part);
    if (source === "files") toLists(input, part, fileLists);
    else if (textLists.length > 0 && (source === "query" || isForm(request, source)))
      toLists(input, part, textLists);
  }
  return input;
};

/** Parses the query directly into the input, which saves a copy, unless the query has been read or replaced. */
const takeQuery = (request: Request, input: CombinedInput): boolean => {
  const text = (request as UnreadQuery)[unreadQuery];
  if (text === undefined) return false;
  parseLimitedQuery(text, input as Query);
  return true;
};

/** Checks whether a source is a form, in which only repeated names produce an array. */
const isForm = ({ headers }: Request, source: InputSource): boolean => {
  if (source !== "body") return false;
  const type = headers["content-type"];
  if (type === undefined || type === "application/json") return false;
  return /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type);
};

/** Wraps single files and values in arrays, for fields that expect arrays. */
const toLists = (input: CombinedInput, part: object, names: readonly string[]): void => {
  for (const name of names)
    if (Object.hasOwn(part, name) && input[name] !== undefined && !Array.isArray(input[name]))
      input[name] = [input[name]];
};
