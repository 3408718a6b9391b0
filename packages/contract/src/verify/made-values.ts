import { listTroubling, makeValues, type JsonObject } from "@sallyport/document";
import type { Schemas } from "./schemas.ts";
import { listValid, type Sample } from "./values.ts";

/** Lists values of a schema: those that are known, and those that follow from a seed. */
export const listMade = (
  schema: JsonObject,
  schemas: Schemas,
  seed: number,
): readonly unknown[] => [
  ...listValid(schema, schemas).map(({ value }) => value),
  ...makeValues(schemas.normalise(schema), { seed, count: 40 }).filter((value) =>
    schemas.isValid(schema, value),
  ),
];

/** Lists values that servers are known to stumble over. */
export const listHard = (schema: JsonObject, schemas: Schemas): readonly Sample[] =>
  listTroubling(schemas.normalise(schema)).filter(({ value }) => schemas.isValid(schema, value));
