import type { z } from "zod";
import { isObject, isSame, listOf } from "./map-json.ts";
import type { JsonObject } from "./options.ts";
import { listChecks, toPortable } from "./patterns.ts";

/** Turns listed keys into properties, which more tools support than `propertyNames`. */
export const correctKeys = (def: z.core.$ZodRecordDef, json: JsonObject): void => {
  const { propertyNames, additionalProperties } = json;
  const names = isObject(propertyNames) ? listValues(propertyNames) : undefined;
  if (!names && def.mode === "loose") openKeys(def, json);
  if (isSame(propertyNames, { type: "string" })) delete json["propertyNames"];
  if (!names) return;
  delete json["propertyNames"];
  delete json["additionalProperties"];
  json["properties"] = Object.fromEntries(names.map((name) => [name, additionalProperties]));
  if (def.mode !== "loose") json["additionalProperties"] = false;
};

const listValues = (json: JsonObject): readonly string[] | undefined => {
  const { const: value, enum: values, anyOf } = json;
  if (value !== undefined || Array.isArray(values)) return [value ?? values].flat().map(String);
  const lists = listOf(anyOf).map((option) => listValues(option as JsonObject));
  if (lists.length === 0 || lists.includes(undefined)) return undefined;
  return lists.flatMap((list) => list ?? []);
};

/** Describes the values of a loose record only if their keys are known, because it accepts other keys with any value. */
const openKeys = ({ keyType }: z.core.$ZodRecordDef, json: JsonObject): void => {
  const { type } = (keyType as z.core.$ZodTypes)._zod.def;
  const { length } = listChecks(keyType);
  if (type === "string" && length === 0) return;
  const { propertyNames, additionalProperties, patternProperties } = json;
  const { pattern } = Object(propertyNames) as JsonObject;
  const written = Object.entries((patternProperties ?? {}) as JsonObject);
  const [[source, value] = [pattern, additionalProperties]] = written;
  const isSole = written.length < 2 && length === (type === "string" ? 1 : 0);
  const portable = isSole && typeof source === "string" ? toPortable(source, keyType) : undefined;
  for (const keyword of ["propertyNames", "additionalProperties", "patternProperties"])
    delete json[keyword];
  if (portable !== undefined) json["patternProperties"] = { [portable]: value };
};
