import type { Json } from "@sallyport/document";
import type { Bump, Level } from "../rules/rule.ts";

/** A difference between two documents that clients may notice. */
export interface Change {
  /** The id of the rule. */
  readonly rule: string;
  readonly level: Level;
  /** The release that it calls for. */
  readonly bump: Bump;
  /** The operation, such as `GET /users/{id}`, or `document`. */
  readonly operation: string;
  /** The operation and the place in it, such as `GET /users/{id} response 200 .name`. */
  readonly path: string;
  /** The change in words. */
  readonly text: string;
  /** A value that shows it: accepted by the one side, and not by the other. */
  readonly witness?: Json;
}
