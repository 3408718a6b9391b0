import {
  listInvalid as listBroken,
  listTroubling,
  listValid as listFitting,
  makeValues,
  type JsonObject,
  type Sample,
} from "@sallyport/document";
import fc from "fast-check";
import type { Schemas } from "./schemas.ts";

/** Lists values of a schema, from the simplest: examples, limits, members and variants. */
export const listValid = (schema: JsonObject, schemas: Schemas): readonly Sample[] =>
  listFitting(schemas.normalise(schema)).filter(({ value }) => schemas.isValid(schema, value));

/** Lists values that one keyword of a schema refuses. */
export const listInvalid = (schema: JsonObject, schemas: Schemas): readonly Sample[] =>
  listBroken(schemas.normalise(schema)).filter(({ value }) => !schemas.isValid(schema, value));

/** Lists values that servers are known to stumble over. */
export const listHard = (schema: JsonObject, schemas: Schemas): readonly Sample[] =>
  listTroubling(schemas.normalise(schema)).filter(({ value }) => schemas.isValid(schema, value));

/**
 * Returns values of a schema for which a place has room: as often those that are known, which several calls share, as
 * those that follow from a seed; undefined if there are none.
 */
export const toMade = (
  schema: JsonObject,
  schemas: Schemas,
  seed: number,
  hasRoom: (value: unknown) => boolean,
): fc.Arbitrary<unknown> | undefined => {
  const lists = [
    listValid(schema, schemas).map(({ value }) => value),
    makeValues(schemas.normalise(schema), { seed, count: 40 }).filter((value) =>
      schemas.isValid(schema, value),
    ),
  ];
  const all = lists
    .map((list) => list.filter(hasRoom))
    .filter(({ length }) => length > 0)
    .map((list) => fc.constantFrom(...list));
  return all.length > 0 ? fc.oneof(...all) : undefined;
};
