import { toStableText, listChildren, replaceChildren, type Schema } from "@sallyport/document";

/** The class of each schema: schemas of one class accept the same, however they are written. */
export type Classes = ReadonlyMap<Schema, string>;

/**
 * Divides schemas into classes of equal structure, recursive ones included: in each round, the class of a schema is
 * what it says itself and the classes of its children, until a round divides no class any further.
 *
 * @param digest returns a short text for a longer one, different ones for different texts
 * @param depth the number of rounds after which `names` are taken, so that a name does not depend on what else there is
 */
export const classify = (
  roots: readonly Schema[],
  digest: (text: string) => string = toNumbers(),
  depth = 0,
): { readonly classes: Classes; readonly names: Classes } => {
  const schemas = collect(roots);
  let classes = new Map(schemas.map((schema) => [schema, ""]));
  let count = 0;
  let names: Classes = classes;
  for (let round = 0; ; round++) {
    const known = classes;
    const next = new Map<Schema, string>();
    for (const schema of schemas)
      next.set(
        schema,
        digest(toStableText(replaceChildren(schema, (child) => known.get(child) ?? ""))),
      );
    classes = next;
    if (round <= depth) names = classes;
    const { size } = new Set(classes.values());
    if (size === count && round >= depth) return { classes, names };
    count = size;
  }
};

const toNumbers = (): ((text: string) => string) => {
  const numbers = new Map<string, string>();
  return (text) => {
    const number = numbers.get(text) ?? String(numbers.size);
    numbers.set(text, number);
    return number;
  };
};

const collect = (roots: readonly Schema[]): readonly Schema[] => {
  const found = new Set<Schema>();
  const waiting = [...roots];
  for (let schema = waiting.pop(); schema; schema = waiting.pop()) {
    if (found.has(schema)) continue;
    found.add(schema);
    waiting.push(...listChildren(schema));
  }
  return [...found];
};
