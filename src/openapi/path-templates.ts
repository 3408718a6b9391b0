import { OpenApiError } from "../errors.ts";
import type { Operation } from "../api/operation.ts";
import { parsePathPattern } from "../routing/path-pattern.ts";

/** Writes a path with its parameters in braces, such as `/users/{id}`. */
export const toTemplate = (
  path: string,
  toName: (name: string) => string = (name) => name,
): string => {
  const segments = parsePathPattern(path).map((segment) => {
    if (segment.kind === "literal") return encodeText(segment.text);
    if (segment.kind === "rest") return `{${toName(segment.name)}}`;
    const { names, around } = segment;
    return around
      .map(
        (text, at) => encodeText(text) + (at < names.length ? `{${toName(names[at] ?? "")}}` : ""),
      )
      .join("");
  });
  return `/${segments.join("/")}`;
};

const encodeText = (text: string): string =>
  encodeURIComponent(text).replaceAll(/%(?:2[1-9AaCc]|3[ABDabd]|40)/g, (code) =>
    decodeURIComponent(code),
  );

/** @throws {@link OpenApiError} when two paths differ only in the names of their parameters, which OpenAPI ignores. */
export const groupByPath = (
  operations: readonly Operation[],
): ReadonlyMap<string, readonly Operation[]> => {
  const groups = new Map<string, Operation[]>();
  const shapes = new Map<string, { readonly template: string; readonly operation: Operation }>();
  for (const operation of operations) {
    const template = toTemplate(operation.path);
    const shape = toTemplate(operation.path, () => "");
    const known = shapes.get(shape);
    if (known && known.template !== template)
      throw new OpenApiError(
        "SLP_OPENAPI_PATHS",
        `${known.operation.route} and ${operation.route} are the same path in OpenAPI, because only the names of their parameters differ. Give the parameters the same names, or add literal text to one of the paths.`,
        { method: operation.method, route: operation.path },
      );
    shapes.set(shape, { template, operation });
    groups.set(template, [...(groups.get(template) ?? []), operation]);
  }
  return groups;
};
