import { accepts, readOwn, toView, type Json, type Media, type Schema } from "@sallyport/document";
import { addKnown, makeValue } from "../make-value.ts";
import type { Preference } from "../preference.ts";

const known = new WeakMap<Media, ReadonlyMap<string, Json>>();

/** The examples of a body that its schema accepts, by name; that of XML may be text. */
export const listValidExamples = (media: Media): ReadonlyMap<string, Json> => {
  const found = known.get(media);
  if (found) return found;
  const schema = toView(media.schema ?? {}, "response");
  const valid = new Map(
    Object.entries(media.examples ?? {}).filter(([, one]) => accepts(schema, one)),
  );
  known.set(media, valid);
  return valid;
};

/** The examples of a body, or else those of its schema, by name or index. */
export const listExamples = ({ examples, schema }: Media): Readonly<Record<string, Json>> =>
  examples ?? Object.fromEntries((schema?.examples ?? []).entries());

/** Finds an example of a body by its name, or else by its index. */
export const findExample = (media: Media, wanted: string): Json | undefined => {
  const examples = listExamples(media);
  const named = readOwn(examples, wanted);
  return named !== undefined || !/^\d+$/.test(wanted)
    ? named
    : Object.values(examples)[Number(wanted)];
};

const plain = new WeakMap<Schema, Schema>();

/** Returns a schema without the examples of the whole, which a client may want to be left out. */
const withoutExamples = (schema: Schema): Schema => {
  const found = plain.get(schema);
  if (found) return found;
  const { examples: _examples, default: _default, ...rest } = schema;
  plain.set(schema, rest);
  return rest;
};

let count = 0;

/**
 * Returns the value of a body: an example of the whole, or one that follows from the seed.
 *
 * @param fields the fields of the input, which the value has under the same names
 * @throws {@link UngeneratableError} when no value was found.
 */
export const chooseValue = (
  media: Media,
  { example, isDynamic }: Preference,
  seed: string,
  fields: Readonly<Record<string, Json>>,
): Json => {
  const [first] = listValidExamples(media).values();
  const shown =
    example === undefined ? (isDynamic ? undefined : first) : findExample(media, example);
  if (shown !== undefined) return shown;
  const schema = toView(media.schema ?? {}, "response");
  const made = isDynamic
    ? makeValue(withoutExamples(schema), `${seed}\n${count++}`)
    : makeValue(schema, seed);
  return addKnown(made, fields, (next) => accepts(schema, next));
};
