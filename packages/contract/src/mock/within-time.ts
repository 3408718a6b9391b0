import { Script } from "node:vm";

const key = Symbol.for("sallyport/within-time");
const script = new Script(`globalThis[Symbol.for("sallyport/within-time")]()`);

/**
 * Does work that a regular expression may keep busy without end.
 *
 * @param limit in milliseconds
 * @throws Error when the work takes longer
 */
export const withinTime = <Result>(work: () => Result, limit = 100): Result => {
  Object.defineProperty(globalThis, key, { value: work, configurable: true });
  return script.runInThisContext({ timeout: limit }) as Result;
};

/** Whether an error says that work has taken too long. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
