import { Script } from "node:vm";

const limit = 100;
const key = Symbol.for("sallyport/within-time");
const script = new Script(`globalThis[Symbol.for("sallyport/within-time")]()`);

/**
 * Does work that a regular expression may keep busy without end.
 *
 * @throws Error when the work takes longer than 0.1 s
 */
export const withinTime = <Result>(work: () => Result): Result => {
  Object.defineProperty(globalThis, key, { value: work, configurable: true });
  return script.runInThisContext({ timeout: limit }) as Result;
};
