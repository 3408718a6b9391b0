import { listValid, makeValues, type Schema } from "@sallyport/document";
import fc from "fast-check";

/**
 * Returns values of a schema for which a place has room: as often those that are known, which several calls share, as
 * those that follow from a seed; undefined if there are none.
 */
export const toMade = (
  schema: Schema,
  seed: number,
  hasRoom: (value: unknown) => boolean,
): fc.Arbitrary<unknown> | undefined => {
  const lists = [
    listValid(schema).map(({ value }) => value),
    makeValues(schema, { seed, count: 40 }),
  ];
  const all = lists
    .map((list) => list.filter(hasRoom))
    .filter(({ length }) => length > 0)
    .map((list) => fc.constantFrom(...list));
  return all.length > 0 ? fc.oneof(...all) : undefined;
};
