/** A query key, or the beginning of one. */
export type RouteQueryKey = readonly unknown[];

/** Converts an input to a value that TanStack Query can hash and compare, without bigints and undefined values. */
const toPlain = (input: unknown): unknown =>
  JSON.parse(
    JSON.stringify(input ?? {}, (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ),
  );

/**
 * Returns the key of a query: the segments of the path, the method and the input.
 *
 * With fewer arguments, it returns a prefix that matches several queries, for example to invalidate them. Without an
 * input, these are all queries for a route; with only a path, all queries for the routes beneath that path.
 *
 * @example
 * queryKey("get /v1/users", { limit: 10 }); // ["v1", "users", "get", { limit: 10 }]
 * await queryClient.invalidateQueries({ queryKey: queryKey("/v1/users") }); // also "get /v1/users/:id"
 */
export const queryKey = (key: string, input?: unknown): RouteQueryKey => {
  const at = key.indexOf("/");
  const method = key.slice(0, Math.max(0, at)).trim();
  const segments = key.slice(at + 1).split("/");
  return [
    ...segments.filter((segment) => segment !== ""),
    ...(method === "" ? [] : [method]),
    ...(input === undefined ? [] : [toPlain(input)]),
  ];
};
