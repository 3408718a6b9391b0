import { accepts, toView, type Json, type Media, type Schema } from "@sallyport/document";
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
  const examples = listValidExamples(media);
  const [first] = examples.values();
  const shown = example === undefined ? (isDynamic ? undefined : first) : examples.get(example);
  if (shown !== undefined) return shown;
  const schema = toView(media.schema ?? {}, "response");
  if (isDynamic) return makeValue(withoutExamples(schema), `${seed}\n${count++}`);
  return addKnown(makeValue(schema, seed), fields, (next) => accepts(schema, next));
};
