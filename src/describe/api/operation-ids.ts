import { OpenApiError } from "../../basics/errors.ts";
import type { Method } from "../../basics/http/method.ts";
import { formatRoute } from "../../define/routing/walk-routing.ts";
import type { Operation } from "./operation.ts";
import { capitalise, toWords } from "./words.ts";

/** The ids of operations: declared by the endpoint, or derived from method and path. */
export class OperationIds {
  readonly #taken = new Map<string, string>();

  /** Registers the ids chosen by the application first, so that generated ids never collide with them. */
  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      const given = readId(operation);
      if (given !== undefined) this.give(given, operation.method, operation.path);
    }
  }

  /** @throws {@link OpenApiError} when another operation has the same id. */
  give(id: string, method: Method, path: string): void {
    const at = formatRoute(method, path);
    const owner = this.#taken.get(id);
    if (owner !== undefined && owner !== at)
      throw new OpenApiError(
        "SLP_OPENAPI_OPERATION_ID",
        `${owner} and ${at} have the same operationId ${JSON.stringify(id)}. Give each endpoint its own id; for an endpoint that serves several methods, use a function, as in operationId: (method) => \`\${method}User\`.`,
        { method, route: path },
      );
    this.#taken.set(id, at);
  }

  find(operation: Operation): string {
    return readId(operation) ?? this.make(operation, operation.method);
  }

  /** Derives an id from method and path, such as `getUsersById`. */
  make({ path, segments }: Operation, method: Method | "head"): string {
    const words = segments.flatMap(({ names, around }) =>
      around.flatMap((text, at) => toWords(at < names.length ? `${text} by ${names[at]}` : text)),
    );
    const wanted = method + (words.length > 0 ? words.map(capitalise).join("") : "Root");
    const at = formatRoute(method, path);
    const id = toFreeName(wanted, (one) => (this.#taken.get(one) ?? at) !== at);
    this.#taken.set(id, at);
    return id;
  }
}

const readId = ({ method, endpoint: { operationId } }: Operation): string | undefined =>
  typeof operationId === "function" ? operationId(method) : operationId;

/** Appends a number to a name if it is taken. */
export const toFreeName = (
  wanted: string,
  isTaken: (name: string) => boolean,
  separator = "",
): string => {
  let name = wanted;
  for (let number = 2; isTaken(name); number++) name = `${wanted}${separator}${number}`;
  return name;
};
