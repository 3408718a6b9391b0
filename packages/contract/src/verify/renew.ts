import { randomUUID } from "node:crypto";
import { isObject } from "@sallyport/document";
import { Malformed, type Call, type Fields } from "./call.ts";
import { newKey } from "./cases.ts";
import type { Exchange } from "./steps.ts";

/** The field values of a fixture, as in the calls that were built first, and as they are now. */
export interface Given {
  readonly first: Fields;
  readonly now: Fields;
  readonly steps: readonly Exchange[];
}

/** Replaces what earlier calls have used up. */
export const renew = (call: Call, given: Given | undefined): Call => {
  const { first = {}, now = {} } = given ?? {};
  const renewFields = (fields: Fields): Fields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        // a store may remember the keys of earlier runs
        if (name === "idempotency-key" && value === newKey) return [name, randomUUID()];
        const isFirst = Object.hasOwn(first, name) && value === first[name];
        return [name, isFirst && Object.hasOwn(now, name) ? now[name] : value];
      }),
    );
  const { path, query, header, cookie, body } = call;
  const value = body?.value;
  const isFields = isObject(value) && !(value instanceof Malformed);
  return {
    ...call,
    ...{ path: renewFields(path), query: renewFields(query) },
    ...{ header: renewFields(header), cookie: renewFields(cookie) },
    body: body && { type: body.type, value: isFields ? renewFields(value) : value },
  };
};
