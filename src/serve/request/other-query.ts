import type { Application } from "express";
import type { AppSettings } from "../../wire/exchange/ways.ts";

/** Parses a query with the parser that the settings of an application choose, unless that is the simple one. */
export const readOtherQuery = (query: string, settings: AppSettings, app: Application): unknown => {
  const parse = app.get("query parser fn") as ((query: string) => unknown) | undefined;
  const parsed = parse?.(query) ?? {};
  if (settings["query parser"] === "extended") dropForbidden(parsed);
  return parsed;
};

/** Deletes each `constructor` with a `prototype`; the parser has limited the depth, and has dropped `__proto__`. */
const dropForbidden = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  for (const [name, below] of Object.entries(value)) {
    const isForbidden =
      name === "constructor" && Object.hasOwn(Object(below) as object, "prototype");
    if (isForbidden) Reflect.deleteProperty(value, name);
    else dropForbidden(below);
  }
};
