import { OpenApiError } from "../errors.ts";
import type { Method } from "../http/method.ts";
import { parsePathPattern } from "../routing/path-pattern.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import { formatRoute } from "./operation-place.ts";

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

/** Encodes braces and other characters that a path may not contain. */
const encodeText = (text: string): string =>
  encodeURIComponent(text).replaceAll(/%(?:2[1-9AaCc]|3[ABDabd]|40)/g, (code) =>
    decodeURIComponent(code),
  );

/**
 * Groups routes by their paths in the document.
 *
 * @throws {@link OpenApiError} when two paths differ only in the names of their parameters; OpenAPI treats such paths
 * as the same.
 */
export const groupByPath = (
  entries: readonly EndpointEntry[],
): ReadonlyMap<string, readonly EndpointEntry[]> => {
  const groups = new Map<string, EndpointEntry[]>();
  const shapes = new Map<string, { readonly template: string; readonly entry: EndpointEntry }>();
  for (const entry of entries) {
    const template = toTemplate(entry.path);
    const shape = toTemplate(entry.path, () => "");
    const known = shapes.get(shape);
    if (known && known.template !== template)
      throw new OpenApiError(
        "SLP_OPENAPI_PATHS",
        `${formatRoute(known.entry)} and ${formatRoute(entry)} are the same path in OpenAPI, because only the names of their parameters differ. Give the parameters the same names, or add literal text to one of the paths.`,
        { method: entry.method, route: entry.path },
      );
    shapes.set(shape, { template, entry });
    groups.set(template, [...(groups.get(template) ?? []), entry]);
  }
  return groups;
};

/** The ids of operations: declared by the endpoint, or derived from method and path. */
export class OperationIds {
  readonly #taken = new Map<string, string>();

  /** Registers the ids chosen by the application first, so that generated ids never collide with them. */
  constructor(entries: readonly EndpointEntry[]) {
    for (const entry of entries) {
      const { operationId } = entry.endpoint;
      const given = typeof operationId === "function" ? operationId(entry.method) : operationId;
      if (given !== undefined) this.give(given, entry);
    }
  }

  /** @throws {@link OpenApiError} when another operation has the same id. */
  give(id: string, entry: { readonly method: Method; readonly path: string }): string {
    const at = formatRoute(entry);
    const owner = this.#taken.get(id);
    if (owner !== undefined && owner !== at)
      throw new OpenApiError(
        "SLP_OPENAPI_OPERATION_ID",
        `${owner} and ${at} have the same operationId ${JSON.stringify(id)}. Give each endpoint its own id; for an endpoint that serves several methods, use a function, as in operationId: (method) => \`\${method}User\`.`,
        { method: entry.method, route: entry.path },
      );
    this.#taken.set(id, at);
    return id;
  }

  /** Returns the id of an operation. */
  find({ method, path, endpoint: { operationId } }: EndpointEntry): string {
    const given = typeof operationId === "function" ? operationId(method) : operationId;
    return given ?? this.make(method, path);
  }

  /** Derives an id from method and path, such as `getUsersById`. */
  make(method: string, path: string): string {
    const words = parsePathPattern(path).flatMap((segment) => {
      if (segment.kind === "literal") return toWords(segment.text);
      if (segment.kind === "rest") return ["by", ...toWords(segment.name)];
      return segment.around.flatMap((text, at) => [
        ...toWords(text),
        ...(segment.names[at] === undefined ? [] : ["by", ...toWords(segment.names[at])]),
      ]);
    });
    const wanted = method + (words.length > 0 ? words.map(capitalise).join("") : "Root");
    const at = formatRoute({ method, path });
    let id = wanted;
    for (let number = 2; this.#taken.has(id) && this.#taken.get(id) !== at; number++)
      id = `${wanted}${number}`;
    this.#taken.set(id, at);
    return id;
  }
}

const toWords = (text: string): string[] =>
  text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");

const capitalise = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
