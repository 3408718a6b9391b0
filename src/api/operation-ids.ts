import { OpenApiError } from "../errors.ts";
import type { Method } from "../http/method.ts";
import { parsePathPattern } from "../routing/path-pattern.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Formats a route for messages, such as `GET /users/:id`. */
export const formatRoute = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;

/** The ids of operations: declared by the endpoint, or derived from method and path. */
export class OperationIds {
  readonly #taken = new Map<string, string>();

  /** Registers the ids chosen by the application first, so that generated ids never collide with them. */
  constructor(entries: readonly EndpointEntry[]) {
    for (const entry of entries) {
      const given = readId(entry);
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
  find(entry: Omit<EndpointEntry, "kind">): string {
    return readId(entry) ?? this.make(entry);
  }

  /** Derives an id from method and path, such as `getUsersById`. */
  make({ method, path }: Route): string {
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

const readId = ({ method, endpoint: { operationId } }: Omit<EndpointEntry, "kind">) =>
  typeof operationId === "function" ? operationId(method) : operationId;

const toWords = (text: string): string[] =>
  text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");

/** Writes the first letter as a capital. */
export const capitalise = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
