import type { ApiDescription, Operation } from "@sallyport/document";

/** What is at a path: its operations by method, and the parameters in it. */
export interface Place {
  readonly operations: ReadonlyMap<string, Operation>;
  /** What is in place of the parameters, in their order. */
  readonly values: readonly string[];
}

interface Route {
  readonly pattern: RegExp;
  /** What of the path is written out: routes with more of it come first. */
  readonly rank: string;
  readonly operations: Map<string, Operation>;
}

const placeholder = /\{([^}]*)\}/g;

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

const toPattern = (path: string): string =>
  path
    .split(/\{[^}]*\}/)
    .map((text) => escape(text.replaceAll(/[^\x21-\x7e]+/gu, encodeURIComponent)))
    .join("([^/]+?)");

/** Returns what finds the operations of a path, also below the base paths of the servers. */
export const toFinder = ({
  servers,
  operations,
}: ApiDescription): ((path: string) => Place | undefined) => {
  const bases = servers.flatMap((url) => {
    const base = url.replace(/^[a-z][\w+.-]*:\/\/[^/]*|^\/\/[^/]*/i, "").replace(/\/+$/, "");
    return base.startsWith("/") ? [new RegExp(`^${toPattern(base)}(?=/)`)] : [];
  });
  const routes = toRoutes(Object.values(operations));
  const find = (path: string): Place | undefined => {
    for (const { pattern, operations: own } of routes.get(countSegments(path)) ?? []) {
      const found = pattern.exec(path);
      if (found) return { operations: own, values: found.slice(1) };
    }
    return undefined;
  };
  return (path) =>
    find(path) ??
    bases
      .map((base) => path.replace(base, ""))
      .filter((rest) => rest !== path)
      .map(find)
      .find((one) => one !== undefined);
};

const countSegments = (path: string): number => path.split("/").length;

/** Sorts the paths by their number of segments, and those that are written out before those with parameters. */
const toRoutes = (operations: readonly Operation[]): ReadonlyMap<number, readonly Route[]> => {
  const byPath = new Map<string, Route>();
  for (const operation of operations) {
    // a query or a fragment in a path, as some documents have, is not a part of it
    const path = operation.path.replace(/[?#].*$/, "").replaceAll(placeholder, "{}");
    const route = byPath.get(path) ?? {
      pattern: new RegExp(`^${toPattern(path)}$`),
      rank: path
        .split("/")
        .map((part) => (part === "{}" ? 2 : part.includes("{}") ? 1 : 0))
        .join(""),
      operations: new Map<string, Operation>(),
    };
    if (!route.operations.has(operation.method)) route.operations.set(operation.method, operation);
    byPath.set(path, route);
  }
  const routes = new Map<number, Route[]>();
  for (const [path, route] of byPath) {
    const count = countSegments(path);
    routes.set(count, [...(routes.get(count) ?? []), route]);
  }
  for (const all of routes.values())
    all.sort(({ rank: one }, { rank: other }) => (one < other ? -1 : one > other ? 1 : 0));
  return routes;
};

/** Returns the parameters in the path of an operation by name; undefined if one is not percent-encoded correctly. */
export const readPath = (
  { path }: Operation,
  values: readonly string[],
): Readonly<Record<string, string>> | undefined => {
  try {
    return Object.fromEntries(
      [...path.matchAll(placeholder)].map(([, name = ""], at) => [
        name,
        decodeURIComponent(values[at] ?? ""),
      ]),
    );
  } catch {
    return undefined;
  }
};
