import { z } from "zod";
import { ServerFault } from "../../basics/errors.ts";

/** Creates the fault for a value that `JSON.stringify` has failed to serialise; `what` names it in the message. */
export const toUnserialisable = (
  what: string,
  value: unknown,
  root: string,
  cause: unknown,
): ServerFault => {
  const text = `${what} cannot be serialised as JSON`;
  const found = findUnserialisable(value, root);
  const full = found === undefined ? text : `${text}: ${found}`;
  return new ServerFault("SLP_OUTPUT_UNSERIALIZABLE", full, cause);
};

/**
 * Describes the first part of a value that `JSON.stringify` has failed to serialise, as in `output.items[3].price is a
 * BigInt`.
 */
export const findUnserialisable = (value: unknown, root: string): string | undefined => {
  const path: PropertyKey[] = [root];
  const ancestors = new Set<object>();
  let found: string | undefined;
  const report = (problem: string): true => {
    found = `${z.core.toDotPath(path)} ${problem}`;
    return true;
  };
  const isWrong = (given: unknown, key: string): boolean => {
    let current = given;
    try {
      const { toJSON } = (current ?? {}) as { readonly toJSON?: unknown };
      if (typeof toJSON === "function") current = toJSON.call(current, key) as unknown;
    } catch (error) {
      return report(`has a toJSON that throws: ${String(error)}`);
    }
    if (typeof current === "bigint") return report("is a BigInt");
    if (typeof current !== "object" || current === null) return false;
    if (ancestors.has(current)) return report("contains itself");
    if (path.length > 1000) return report("is nested too deeply");
    ancestors.add(current);
    for (const name of Object.keys(current)) {
      path.push(Array.isArray(current) ? Number(name) : name);
      let inner: unknown;
      try {
        inner = Reflect.get(current, name);
      } catch (error) {
        return report(`throws when it is read: ${String(error)}`);
      }
      if (isWrong(inner, name)) return true;
      path.pop();
    }
    ancestors.delete(current);
    return false;
  };
  isWrong(value, "");
  return found;
};
