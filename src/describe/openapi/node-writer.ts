import { isDate } from "node:util/types";
import { z } from "zod";
import { jsonAdvice, otherAdvice } from "../api/json-advice.ts";
import { OpenApiError } from "../../basics/errors.ts";
import type { Method } from "../../basics/http/method.ts";
import { readEncoded, readToldOutput } from "../../basics/schemas/encode.ts";
import { readContent, readOwnKind, readUploadTypes } from "../../basics/schemas/content.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { listSameValue, walkSchemas } from "../../basics/schemas/some-schema.ts";
import { listTold } from "./find-example.ts";
import { isObject, isSame, listOf, toEnum } from "./map-json.ts";
import type { Direction, JsonObject, OpenApiOverride, WrittenSchema } from "./options.ts";
import { correctString, listChecks } from "./patterns.ts";
import { correctKeys } from "./record-keys.ts";
import { readBooleanStrings, readLazy } from "../../basics/schemas/zod-internals.ts";
import { addDiscriminator, isAnyJson, omitNothing } from "./unions.ts";

/** The place of the schema that is being written, for names and errors. */
export interface WritePlace {
  /** The name of a component that has no name of its own, such as `GetUsersById`. */
  readonly name: string;
  /** The route as it appears in error messages, such as `GET /users/:id`. */
  readonly at: string;
  readonly method?: Method | undefined;
  readonly route?: string | undefined;
  /** The place in the endpoint, such as `input` or `output.user`. */
  readonly path: string;
}

interface Node extends WrittenSchema {
  readonly place: WritePlace;
  readonly path: readonly (string | number)[];
  readonly write: (schema: ZodSchema, direction: Direction) => JsonObject;
}

/** Describes bytes; a range of media types, such as any, is not the type of the bytes. */
export const toBinary = (type: string): JsonObject => ({
  ...{ type: "string", format: "binary" },
  ...(!type.includes("*") && { contentMediaType: type }),
});

/** An integer as text, which may be longer than a number in JSON. */
const digits = { type: "string", pattern: String.raw`^-?\d+$` } as const;

const bounds = [["minimum", "greater_than"] as const, ["maximum", "less_than"] as const];
const opposite = { input: "output", output: "input" } as const;

/** The JSON Schema of a Buffer as `JSON.stringify` writes it. */
const bufferAsJson: JsonObject = {
  type: "object",
  properties: {
    type: { type: "string", const: "Buffer" },
    data: { type: "array", items: { type: "integer", minimum: 0, maximum: 255 } },
  },
  required: ["type", "data"],
};

/** @throws {@link OpenApiError} when JSON cannot represent the schema and no override describes it. */
export const writeNode = (node: Node, override: OpenApiOverride["schema"]): void => {
  const { schema, json, direction } = node;
  const reason = findReason(schema, direction);
  correct(node, reason !== undefined);
  const before = reason === undefined ? "" : JSON.stringify(json);
  const other = override?.({ schema, json, direction });
  if (isObject(other)) replace(json, other);
  if (reason !== undefined && JSON.stringify(json) === before)
    throw new OpenApiError(
      "SLP_OPENAPI_SCHEMA",
      `${toPath(node)} of ${node.place.at} cannot be documented: ${reason} Alternatively, describe it with \`override.schema\`.`,
      node.place,
    );
};

const correct = ({ schema, json, direction, write }: Node, isImpossible: boolean): void => {
  const encoded = readEncoded(schema);
  if (encoded) {
    const written = write(encoded, opposite[direction]);
    replace(json, { ...written, ...readMeta(schema) });
    return;
  }
  const { def } = (schema as z.core.$ZodTypes)._zod;
  keepExamples(schema, json, direction);
  if (direction === "output") delete json["default"];
  if (isImpossible) return;
  switch (def.type) {
    case "object":
      if (!def.catchall) delete json["additionalProperties"];
      correctRequired(def, json, direction);
      return;
    case "array":
      if (direction === "output") json["items"] = orNull(def.element, json["items"]);
      return;
    case "tuple":
      if (def.items.length === 0) delete json["prefixItems"];
      if (direction === "output") correctTuple(def, json);
      return;
    case "custom": {
      const kind = readOwnKind(schema);
      if (kind === "buffer" && direction === "output") Object.assign(json, bufferAsJson);
      else if (kind ?? readContent(schema)) {
        const [type = "application/octet-stream", ...others] = readUploadTypes(schema) ?? [];
        Object.assign(json, toBinary(others.length > 0 ? "*/*" : type));
      }
      return;
    }
    case "literal": {
      if (def.values.every((value) => value === undefined)) json["not"] = {};
      const { enum: values, ...rest } = json;
      if (listOf(values).includes(null)) replace(json, { ...toEnum(listOf(values)), ...rest });
      return;
    }
    case "string":
    case "template_literal":
      correctString(schema, json);
      return;
    case "number":
      // many readers take a schema for anything if one of its parts has no type
      if (Array.isArray(json["allOf"]))
        json["allOf"] = json["allOf"].map(
          (part) => ({ type: json["type"], ...part }) as JsonObject,
        );
      // the bounds of safe integers are redundant, unless they are declared
      for (const [name, kind] of bounds) {
        const isSafe = Math.abs(Number(json[name])) === Number.MAX_SAFE_INTEGER;
        if (isSafe && !listChecks(schema).some(({ check }) => check === kind)) delete json[name];
      }
      return;
    case "readonly":
      omitNothing(json);
      if (readMeta(schema)["readOnly"] !== true) delete json["readOnly"];
      return;
    case "default":
    case "prefault":
      omitNothing(json);
      writeDefault(def, json, direction);
      return;
    case "record":
      correctKeys(def, json);
      // a record parses a key that is missing as undefined
      if (mayBeUndefined(def.valueType, direction)) delete json["required"];
      return;
    case "lazy":
      if (isAnyJson(schema)) replace(json, readMeta(schema));
      return;
    case "pipe": {
      const told = readToldOutput(schema);
      if (told) delete json["output"];
      // any date-time describes what is sent; what Zod also checks would only lengthen it
      if (readOwnKind(schema) === "dateOut" && direction === "output")
        replace(json, { type: "string", format: "date-time", ...readMeta(schema) });
      if (direction === "input") listStrings(schema, json);
      else if (told) replace(json, { ...write(told, "output"), ...json });
      return;
    }
    case "union":
      addDiscriminator(schema, json);
      omitNothing(json);
      return;
    case "nullable":
    case "optional":
    case "nonoptional":
    case "catch":
      omitNothing(json);
      return;
    case "date":
      // `JSON.stringify` writes a date as an ISO 8601 string
      Object.assign(json, { type: "string", format: "date-time" });
      return;
    case "bigint":
      Object.assign(json, { anyOf: [{ type: "integer", format: "int64" }, digits] });
      return;
    case "undefined":
    case "void":
      json["not"] = {};
  }
};

/** The types whose values JSON cannot represent; it writes a date as a string. */
const impossible = new Set(["bigint", "function", "map", "nan", "set", "symbol"]);

/** Returns why a schema cannot be documented; undefined if it can. */
const findReason = (schema: ZodSchema, direction: Direction): string | undefined => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const isBig = def.type === "literal" && def.values.some((value) => typeof value === "bigint");
  const type = isBig ? "bigint" : def.type;
  const isInput = direction === "input";
  if (!impossible.has(type) && !(isInput && ["date", "file"].includes(type))) return undefined;
  if (isInput && "coerce" in def && def.coerce) return undefined;
  return `JSON has no ${type}. ${jsonAdvice[direction][type] ?? otherAdvice}.`;
};

const replace = (json: JsonObject, other: JsonObject): void => {
  const copy = { ...other };
  for (const key of Object.keys(json)) delete json[key];
  Object.assign(json, copy);
};

const readMeta = (schema: ZodSchema): JsonObject => {
  const { id: _id, ...meta } = (z.globalRegistry.get(schema as z.ZodType) ?? {}) as JsonObject;
  return meta;
};

/** Writes a default as clients would send it, and omits a default that differs on each call. */
const writeDefault = (
  def: z.core.$ZodDefaultDef | z.core.$ZodPrefaultDef,
  json: JsonObject,
  direction: Direction,
): void => {
  if (direction === "output") return;
  if (!isSame(toJson(def.defaultValue), toJson(def.defaultValue))) delete json["default"];
  else if (def.type === "default" && !("default" in json)) {
    try {
      const encoded: unknown = z.encode(def.innerType, def.defaultValue);
      if (toJson(encoded) !== undefined) json["default"] = toPlain(encoded);
    } catch {
      // the source of an irreversible or asynchronous transformation is unknown
    }
  }
};

const toJson = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
};

/** Keeps the examples that fit the type on the wire; Zod drops the examples of transformed schemas. */
const keepExamples = (schema: ZodSchema, json: JsonObject, direction: Direction): void => {
  const examples = listTold(schema);
  if (examples.length === 0) return;
  delete json["example"];
  const fitting = examples.filter((example) => fitsType(example, json, direction));
  if (fitting.length > 0) json["examples"] = fitting.map(toPlain);
  else delete json["examples"];
};

const toPlain = (value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : (JSON.parse(JSON.stringify(value)) as unknown);

const fitsType = (example: unknown, { type }: JsonObject, direction: Direction): boolean => {
  if (typeof example === "function" || example === undefined) return false;
  if (typeof type !== "string") return direction === "output" || !isDate(example);
  const plain = toPlain(example);
  if (type === "integer" || type === "number") return typeof plain === "number";
  if (type === "array") return Array.isArray(plain);
  if (type === "null") return plain === null;
  return typeof plain === type;
};

/** Makes fields optional that JSON omits, and in an input those with a `.catch()`, which replaces a missing value. */
const correctRequired = (
  def: z.core.$ZodObjectDef,
  json: JsonObject,
  direction: Direction,
): void => {
  const required = listOf(json["required"]).filter((name) => {
    const field = def.shape[String(name)] as ZodSchema;
    if (direction === "output") return !mayBeUndefined(field);
    const parts = walkSchemas(field, listCaught);
    return ![...parts].some(({ _zod }) => _zod.def.type === "catch");
  });
  if (required.length > 0) json["required"] = required;
  else delete json["required"];
};

/** Adds null to the schema of an element, because JSON has null where an array has undefined. */
const orNull = (element: ZodSchema, json: unknown): unknown =>
  mayBeUndefined(element) && !isAny(element) ? { anyOf: [json, { type: "null" }] } : json;

const isAny = ({ _zod: { def } }: ZodSchema): boolean =>
  def.type === "any" || def.type === "unknown";

const correctTuple = ({ items, rest }: z.core.$ZodTupleDef, json: JsonObject): void => {
  const parts = listOf(json["prefixItems"]);
  if (items.length > 0) json["prefixItems"] = items.map((item, at) => orNull(item, parts[at]));
  if (rest) json["items"] = orNull(rest, json["items"]);
};

/** Checks whether what a schema returns, or in the direction `input` what it accepts, may be undefined. */
const mayBeUndefined = (
  schema: ZodSchema,
  direction: Direction = "output",
  around: readonly ZodSchema[] = [],
): boolean => {
  const encoded = readEncoded(schema);
  if (encoded) return mayBeUndefined(encoded, opposite[direction], around);
  const check = (part: ZodSchema): boolean => mayBeUndefined(part, direction, around);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "any":
    case "unknown":
    case "optional":
    case "undefined":
    case "void":
      return true;
    case "literal":
      return def.values.includes(undefined);
    case "catch":
      return catchesUndefined(def) || check(def.innerType);
    case "nullable":
    case "readonly":
      return check(def.innerType);
    case "union":
      return def.options.some(check);
    case "intersection":
      return check(def.left) && check(def.right);
    case "pipe":
      if (direction === "output") return check(readToldOutput(schema) ?? def.out);
      return check(def.in) && (def.out._zod.def.type === "transform" || check(def.out));
    case "lazy":
      // a schema that contains itself adds nothing
      return (
        !around.includes(schema) &&
        mayBeUndefined(readLazy(schema as z.core.$ZodLazy), direction, [...around, schema])
      );
    default:
      return false;
  }
};

const catchesUndefined = ({ catchValue }: z.core.$ZodCatchDef): boolean => {
  try {
    return catchValue(undefined as never) === undefined;
  } catch {
    // the value depends on what was parsed
    return false;
  }
};

const listCaught = (schema: ZodSchema): readonly ZodSchema[] =>
  ["intersection", "nonoptional"].includes(schema._zod.def.type) ? [] : listSameValue(schema);

/** Lists the strings that `z.stringbool()` accepts, which Zod's JSON Schema does not list. */
const listStrings = (schema: ZodSchema, json: JsonObject): void => {
  const strings = readBooleanStrings(schema);
  if (strings) replace(json, { type: "string", enum: strings, ...readMeta(schema) });
};

const toPath = ({ place, path }: Node): string => {
  let text = place.path;
  for (let at = 0; at < path.length; at++) {
    if (path[at] === "properties") text += `.${String(path[++at])}`;
    else if (path[at] === "items" || path[at] === "prefixItems") text += "[]";
    else if (path[at] === "additionalProperties") text += "[key]";
  }
  return text;
};
