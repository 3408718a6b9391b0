import { readOwn } from "../json.ts";
import { mapKeys, childKeys, listKeys, type Schema } from "./schema.ts";

export type Direction = "request" | "response";

const views = { request: new WeakMap<Schema, Schema>(), response: new WeakMap<Schema, Schema>() };

const originals = new WeakMap<Schema, Schema>();

/** Returns what a view was made of; any other schema as it is. */
export const toOriginal = (schema: Schema): Schema => originals.get(schema) ?? schema;

/** Returns a schema without the properties that a message of a direction does not have, such as read-only ones in requests. */
export const toView = (schema: Schema, direction: Direction): Schema => {
  const known = views[direction].get(schema);
  if (known) return known;
  const view: Schema = {};
  views[direction].set(schema, view);
  originals.set(view, schema);
  const key = direction === "request" ? "readOnly" : "writeOnly";
  const isLeftOut = (name: string): boolean => readOwn(schema.properties, name)?.[key] === true;
  const copy = (child: Schema): Schema => toView(child, direction);
  Object.assign(view, schema);
  for (const name of childKeys) if (schema[name]) view[name] = copy(schema[name]);
  for (const name of listKeys) if (schema[name]) view[name] = schema[name].map(copy);
  for (const name of mapKeys)
    if (schema[name])
      view[name] = Object.fromEntries(
        Object.entries(schema[name]).flatMap(([at, child]) =>
          name === "properties" && isLeftOut(at) ? [] : [[at, copy(child)]],
        ),
      );
  if (schema.required) view.required = schema.required.filter((name) => !isLeftOut(name));
  return view;
};
