import type { Json, Schema } from "@sallyport/document";
import type { Area } from "../rules/schema-change.ts";
import type { SchemaChangeName } from "../rules/schema-changes.ts";

/** What the words of a change are filled with. */
export interface Details {
  readonly before?: Json | undefined;
  readonly after?: Json | undefined;
  readonly name?: string | undefined;
}

/** Where schemas are compared, and who is told of changes. */
export interface SchemaPlace {
  readonly area: Area;
  /** The way from the body or parameter to the schema, such as `.items[].name`. */
  readonly at: string;
  /** Whether all values are strings on the wire, so that any type may become a string. */
  readonly isText: boolean;
  /** Whether the values are not part of this message, such as read-only ones in a request. */
  readonly isMuted: boolean;
  /** Whether it is certain that all values which may be sent are accepted. */
  readonly isProved: boolean;
  /** The schemas whose values are in question. */
  readonly pair: readonly [before: Schema, after: Schema];
  /** Whether the schemas are parts of those in question, which only together say what is accepted. */
  readonly isPart: boolean;
  readonly today: string;
  /** Returns the class of a schema: schemas of one class are equal. */
  readonly classOf: (schema: Schema) => string;
  /** The pairs that are being compared already, for recursive schemas. */
  readonly seen: Set<string>;
  /** How often each pair has been compared in this message. */
  readonly visits: Map<string, number>;
  /** Compares schemas that are further inside. */
  readonly compare: (before: Schema, after: Schema, place: SchemaPlace) => void;
  /** Whether it is certain that a change of schemas leaves all values that may be sent accepted. */
  readonly prove: (before: Schema, after: Schema) => boolean;
  readonly report: (place: SchemaPlace, change: SchemaChangeName, details: Details) => void;
}
