import type { Request } from "express";
import type { InputSource } from "../endpoint/input-sources.ts";
import { BareObject } from "../http/bare-object.ts";
import { readSource } from "./read-source.ts";

/** From how many characters on a JSON body is worth parsing without a copy. */
const largeLength = 16_384;

const largeBodies = new WeakSet<object>();

/** Notes that an object was parsed of a text of a length. */
export const noteLength = (body: object, length: number): void => {
  if (length >= largeLength) largeBodies.add(body);
};

/**
 * Finds a large JSON body where it is the only source of the input that has anything.
 *
 * Its copy would cost as much again as its text costs to be parsed: 75 milliseconds for a body of 1 MB that is made of keys.
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
 * Calls a function with an object that inherits nothing meanwhile, as a combined input does.
 *
 * @returns undefined where that cannot be, as with one that is frozen
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
