import type { Request } from "express";
import type { InputSource } from "../endpoint/input-sources.ts";
import { RequestError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import { unreadQuery, type Query, type UnreadQuery } from "../http/query.ts";
import { parseLimitedQuery } from "./limited-query.ts";
import { copyOwn } from "./copy-own.ts";
import { readSource } from "./read-source.ts";

/** The sources of a request merged into one object without a prototype. */
export type CombinedInput = Record<string, unknown>;

/**
 * Merges the sources of a request into one input; a later source wins.
 *
 * @param fileLists the fields whose file becomes an array where there is one only
 * @param textLists the fields whose value in a query or a form becomes an array where there is one only
 * @throws {@link RequestError} when the body is a list.
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

/** Parses the query right into the input, which saves a copy; not where somebody has read or replaced it. */
const takeQuery = (request: Request, input: CombinedInput): boolean => {
  const text = (request as UnreadQuery)[unreadQuery];
  if (text === undefined) return false;
  parseLimitedQuery(text, input as Query);
  return true;
};

/** Whether a source is a body in which a repeated name is all that makes an array. */
const isForm = ({ headers }: Request, source: InputSource): boolean => {
  if (source !== "body") return false;
  const type = headers["content-type"];
  if (type === undefined || type === "application/json") return false;
  return /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type);
};

/** One file satisfies an array of files, and one value of a query or a form an array of values. */
const toLists = (input: CombinedInput, part: object, names: readonly string[]): void => {
  for (const name of names)
    if (Object.hasOwn(part, name) && input[name] !== undefined && !Array.isArray(input[name]))
      input[name] = [input[name]];
};
