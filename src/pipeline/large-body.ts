import type { Request } from "express";
import type { InputSource } from "../endpoint/input-sources.ts";
import { BareObject } from "../http/bare-object.ts";
import { readSource } from "./read-source.ts";

/** The minimum length, in characters, of a JSON body that is worth parsing without a copy. */
const largeLength = 16_384;

const largeBodies = new WeakSet<object>();

/** Records that an object is a large body if the JSON from which it was parsed is long enough. */
export const noteLength = (body: object, length: number): void => {
  if (length >= largeLength) largeBodies.add(body);
};

/**
 * Returns the JSON body if it is large and the only non-empty source of the input. Copying such a body would cost as
 * much as parsing it: 75 milliseconds for a body of 1 MB that consists mainly of keys.
 */
export const findLargeBody = (
  request: Request,
  sources: readonly InputSource[],
): Record<string, unknown> | undefined => {
  const body = request.body as unknown;
  if (typeof body !== "object" || body === null || !largeBodies.has(body)) return undefined;
  const isAlone = sources.every(
    (source) => source === "body" || isEmpty(readSource(request, source)),
  );
  return isAlone ? (body as Record<string, unknown>) : undefined;
};

const isEmpty = (part: unknown): boolean =>
  typeof part !== "object" || part === null || Object.keys(part).length === 0;

/**
 * Calls a function with an object that temporarily has no prototype, like a combined input.
 *
 * @returns undefined if that is impossible, for example because the object is frozen
 */
export const withoutPrototype = <T>(
  body: Record<string, unknown>,
  use: (body: Record<string, unknown>) => T,
): { readonly result: T } | undefined => {
  const prototype = Reflect.getPrototypeOf(body);
  if (!Reflect.setPrototypeOf(body, BareObject.prototype as object)) return undefined;
  try {
    return { result: use(body) };
  } finally {
    Reflect.setPrototypeOf(body, prototype);
  }
};
