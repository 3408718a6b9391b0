import { listParts } from "./encode-input.ts";
import { assertString, refuse, toText } from "./wire-value.ts";

const parameter = /:([A-Za-z_$][\w$]*)/g;

/**
 * Encodes the path parameters of an input into the path of a route, and removes them from the input.
 *
 * @throws {@link Refusal} when a parameter is missing or the server would read it differently.
 */
export const fillPath = (path: string, fields: Map<string, unknown>): string => {
  const take = (name: string): unknown => {
    const value = fields.get(name) ?? refuse(name, "is missing from the path");
    fields.delete(name);
    return value;
  };
  return path
    .split("/")
    .map((segment) =>
      segment.startsWith("*")
        ? fillRest(segment.slice(1), take(segment.slice(1)))
        : fillSegment(segment.split(parameter), take),
    )
    .join("/");
};

/** @param parts literals at even indexes, names of parameters at odd ones */
const fillSegment = (parts: readonly string[], take: (name: string) => unknown): string => {
  const texts = parts.map((part, index) => {
    if (index % 2 === 0) return decodeURIComponent(assertString(part, part));
    const text = toText(part, take(part));
    const next = parts[index + 1] ?? "";
    // the first occurrence of this literal after a parameter ends the parameter
    return text === "" || (parts[index + 2] && (text + next).indexOf(next, 1) !== text.length)
      ? refuse(part, `is empty, or contains "${next}", which would end the parameter`)
      : text;
  });
  return encodeSegment(parts[1], texts.join(""));
};

const fillRest = (name: string, rest: unknown): string =>
  Array.isArray(rest) && rest.length > 0
    ? listParts(name, rest)
        .map(([field, part]) =>
          encodeSegment(field, toText(field, part) || refuse(field, "is empty")),
        )
        .join("/")
    : refuse(name, "is not an array of path segments");

/** Encodes a segment; rejects `.` and `..`, which URLs drop even if they are encoded. */
const encodeSegment = (field: string | undefined, text: string): string =>
  field !== undefined && /^\.\.?$/.test(text)
    ? refuse(field, "is a path segment that URLs drop")
    : encodeURIComponent(text);
