import fc from "fast-check";
import { listTroubling, makeValues, type JsonObject } from "@sallyport/document";
import type { Schemas } from "./schemas.ts";
import { listValid, type Sample } from "./values.ts";

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

/** Lists values that servers are known to stumble over. */
export const listHard = (schema: JsonObject, schemas: Schemas): readonly Sample[] =>
  listTroubling(schemas.normalise(schema)).filter(({ value }) => schemas.isValid(schema, value));
