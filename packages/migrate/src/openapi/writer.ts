import type { Json, JsonObject } from "@sallyport/document";
import type { ApiDocument } from "./document.ts";
import type { SchemaCode, Wire } from "./primitive-code.ts";

export type Direction = "request" | "response";

/** In which message a schema is, and whether it is JSON. */
export interface Place {
  readonly direction: Direction;
  readonly wire: Wire;
}

/** What writes the parts of a schema. */
export interface Writer {
  readonly document: ApiDocument;
  readonly writeBare: (given: Json | undefined, place: Place) => SchemaCode;
  /** Writes a member of an object, after comments on what it does not express. */
  readonly field: (
    name: string,
    schema: Json,
    isRequired: boolean,
    place: Place,
    given?: SchemaCode,
  ) => SchemaCode;
  /** Lists the fields of an object in a direction, with those that are only required. */
  readonly listFields: (
    raw: JsonObject,
    direction: Direction,
  ) => readonly (readonly [name: string, schema: Json, isRequired: boolean])[];
}
