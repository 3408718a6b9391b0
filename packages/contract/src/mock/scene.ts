import type { HandlerArguments } from "sallyport";
import type { Generation } from "./generate.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The argument of a handler of any route. */
export type AnyArguments = HandlerArguments<Fields, object, object, Fields>;

/** A handler of any route. */
export type AnyHandler = (args: never) => unknown;

/** What all operations of a mock share. */
export interface MockScene extends Pick<Generation, "files" | "kept"> {
  readonly seed: string;
}
