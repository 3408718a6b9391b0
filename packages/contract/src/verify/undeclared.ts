import { isObject, listPropertySchemas, type Schema } from "@sallyport/document";

/** Lists the fields of a value that none of some schemas declares, as paths. */
export const listUndeclared = (
  schemas: readonly Schema[],
  value: unknown,
  path = "",
): readonly string[] => {
  const all = schemas.flatMap((schema) => listParts(schema));
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items: one = [], prefixItems = [] }) => [one, prefixItems].flat());
    if (items.length === 0) return [];
    return value.flatMap((one, at) => listUndeclared(items, one, `${path}/${at}`));
  }
  // one without types accepts anything
  if (!isObject(value) || all.some(({ types }) => !types)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const own = all.flatMap((schema) => listPropertySchemas(schema, name));
    const inner = own.filter(({ never }) => !never);
    const at = `${path}/${name}`;
    return inner.length === 0 ? [at] : listUndeclared(inner, one, at);
  });
};

/** Lists a schema with everything that it consists of or allows. */
const listParts = (schema: Schema, depth = 0): readonly Schema[] => {
  const { allOf = [], anyOf = [], ...own } = schema;
  const parts = [...allOf, ...anyOf];
  if (depth > 20 || parts.length === 0) return [schema];
  return [{ types: [], ...own }, ...parts.flatMap((part) => listParts(part, depth + 1))];
};
