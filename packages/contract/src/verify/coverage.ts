import { findReply, type Operation } from "./operation.ts";

/** How often an operation has sent a status. */
export interface SeenStatus {
  readonly status: number;
  readonly declared: boolean;
  readonly seen: number;
  /** Why a declared status may not have been seen. */
  readonly note?: string;
}

export interface OperationRow {
  /** The operation, such as `get /users/:id`. */
  readonly operation: string;
  readonly statuses: readonly SeenStatus[];
}

/** The table of operations by status. */
export type StatusTable = readonly OperationRow[];

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const notes: Readonly<Record<number, string>> = {
  401: "needs a login that fails",
  409: "needs a state that conflicts",
  413: "needs a body above the limit",
  422: "needs a state that refuses the input",
  429: "needs a client that calls too often",
  500: "only if the application has a defect",
  503: "only if a part is down, or a time limit expires",
};

/** Counts the statuses that operations send. */
export class Coverage {
  readonly #operations: readonly { readonly operation: Operation; readonly pattern: RegExp }[];
  readonly #seen = new Map<string, Map<number, number>>();

  constructor(operations: readonly Operation[]) {
    this.#operations = operations
      .map((operation) => ({ operation, pattern: toPattern(operation) }))
      // a literal segment takes precedence over a parameter
      .toSorted((one, other) => (toRank(one.operation) < toRank(other.operation) ? -1 : 1));
  }

  /** Lists the operations that serve a path, those with more literal segments first. */
  listAt(pathname: string): readonly Operation[] {
    const path = pathname.length > 1 ? pathname.replace(/\/$/, "") : pathname;
    return this.#operations
      .filter(({ pattern }) => pattern.test(path))
      .map(({ operation }) => operation);
  }

  count(method: string, pathname: string, status: number): void {
    const name = method === "HEAD" ? "get" : method.toLowerCase();
    const found = this.listAt(pathname).find((one) => one.method === name);
    if (!found) return;
    const statuses = this.#seen.get(found.key) ?? new Map<number, number>();
    this.#seen.set(found.key, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }

  /** Wraps a `fetch`, so that its replies count. */
  watch(fetch: Fetch): Fetch {
    return async (input, init) => {
      const response = await fetch(input, init);
      const url = input instanceof Request ? input.url : input;
      const method = init?.method ?? (input instanceof Request ? input.method : "GET");
      this.count(method, new URL(url, "http://localhost").pathname, response.status);
      return response;
    };
  }

  get table(): StatusTable {
    return this.#operations
      .map(({ operation }) => operation)
      .toSorted((one, other) => (toOrder(one) < toOrder(other) ? -1 : 1))
      .map((operation) => this.#toRow(operation));
  }

  #toRow(operation: Operation): OperationRow {
    const { key, replies } = operation;
    const declared = Object.keys(replies).map(Number).filter(Number.isInteger);
    const seen = this.#seen.get(key) ?? new Map<number, number>();
    const statuses = [...new Set([...declared, ...seen.keys()])];
    return {
      operation: key,
      statuses: statuses
        .toSorted((one, other) => one - other)
        .map((status) => {
          const times = seen.get(status) ?? 0;
          const note = times === 0 ? notes[status] : undefined;
          return {
            ...{ status, declared: findReply(operation, status) !== undefined, seen: times },
            ...(note !== undefined && { note }),
          };
        }),
    };
  }
}

const toOrder = ({ route, method }: Operation): string => `${route} ${method}`;

/** Puts literal segments before parameters, and the rest of a path last. */
const toRank = ({ route, path }: Operation): string =>
  path
    .split("/")
    .map((one, at, all) =>
      at === all.length - 1 && /\/\*\w+$/.test(route) ? "2" : one.includes("{") ? "1" : "0",
    )
    .join("");

const toPattern = ({ path, route }: Operation): RegExp => {
  const rest = /\/\*(\w+)$/.exec(route)?.[1];
  const text = path
    .split(/(\{[^}]+\})/)
    .map((one) => {
      if (one === `{${rest}}`) return ".+";
      return one.startsWith("{")
        ? "[^/]+?"
        : one.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    })
    .join("");
  return new RegExp(`^${text}$`);
};
