import type { Request } from "express";
import type { InputSource } from "../endpoint/input-sources.ts";
import { RequestError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import { copyOwn } from "./copy-own.ts";

/** The sources of a request merged into one object without a prototype. */
export type CombinedInput = Record<string, unknown>;

/**
 * Merges the sources of a request into one input; a later source wins.
 *
 * @throws {@link RequestError} when the body is a list.
 */
export const combineInput = (request: Request, sources: readonly InputSource[]): CombinedInput => {
  const input: CombinedInput = new BareObject();
  for (const source of sources) {
    const part: unknown = readSource(request, source);
    if (typeof part !== "object" || part === null || Buffer.isBuffer(part)) continue;
    if (Array.isArray(part)) throw new RequestError("SLP_BODY_NOT_OBJECT");
    copyOwn(input, part);
  }
  return input;
};

/** `cookies` and `files` exist once a middleware or the server has made them. */
const readSource = (request: Request, source: InputSource): unknown =>
  (request as unknown as Partial<Record<InputSource, unknown>>)[source];
