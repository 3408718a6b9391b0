import { UnsendableInputError, type CallRoute } from "./client-errors.ts";
import { toText } from "./wire-value.ts";

const parameter = /:([A-Za-z_$][\w$]*)/g;

/**
 * Puts the path parameters of an input into the path of a route, encoded, and takes them out of the input.
 *
 * @throws {@link UnsendableInputError} when one is missing or would be read as something else.
 */
export const fillPath = (route: CallRoute, fields: Map<string, unknown>): string =>
  route.path
    .split("/")
    .map((segment) => {
      if (segment.startsWith("*")) return fillRest(route, segment.slice(1), fields);
      const parts = segment.split(parameter);
      // names at odd places, the texts around them at even ones
      const texts = parts.map((part, index) =>
        index % 2 === 0
          ? decodeURIComponent(part)
          : fillName(route, part, fields, parts.length > 3 ? (parts[index + 1] ?? "") : ""),
      );
      const text = texts.join("");
      if (parts.length > 1) assertSegment(route, parts[1] ?? "", text);
      return encodeURIComponent(text);
    })
    .join("/");

/** @param next the text after the parameter, where it separates it from another one */
const fillName = (
  route: CallRoute,
  name: string,
  fields: Map<string, unknown>,
  next: string,
): string => {
  const text = toText(route, name, take(route, name, fields));
  if (text === "") throw new UnsendableInputError(route, name, "is empty, which no path can be");
  if (next !== "" && (text + next).indexOf(next, 1) !== text.length)
    throw new UnsendableInputError(
      route,
      name,
      `contains ${JSON.stringify(next)}, which ends it in this path`,
    );
  return text;
};

const fillRest = (route: CallRoute, name: string, fields: Map<string, unknown>): string => {
  const rest = take(route, name, fields);
  const parts: readonly unknown[] = Array.isArray(rest) ? rest : [];
  if (parts.length === 0)
    throw new UnsendableInputError(route, name, "must be an array of one segment or more");
  return parts
    .map((part, index) => {
      const field = `${name}[${index}]`;
      const text = toText(route, field, part);
      if (text === "") throw new UnsendableInputError(route, field, "is empty");
      return encodeURIComponent(assertSegment(route, field, text));
    })
    .join("/");
};

/** However it is encoded, a URL drops such a segment. */
const assertSegment = (route: CallRoute, field: string, text: string): string => {
  if (text === "." || text === "..")
    throw new UnsendableInputError(route, field, `makes the segment "${text}", which URLs drop`);
  return text;
};

const take = (route: CallRoute, name: string, fields: Map<string, unknown>): unknown => {
  const value = fields.get(name);
  if (value === undefined || value === null)
    throw new UnsendableInputError(route, name, "is missing; it is a parameter of the path");
  fields.delete(name);
  return value;
};
