import { toKind } from "../client/encode-input.ts";

/** A query key, or the beginning of one. */
export type RouteQueryKey = readonly unknown[];

/** Random numbers instead of counted ones, because keys may outlive the page in a persisted cache. */
const fileIds = new WeakMap<Blob, number>();

/** Describes a file in a key. Its content, which can only be read later, is represented by the identity of the object. */
const describeFile = (file: Blob): object => {
  const id = fileIds.get(file) ?? Math.random();
  fileIds.set(file, id);
  const { name, size, type } = file as File;
  return { name, size, type, id };
};

/** Replaces the values that JSON cannot represent, and would not distinguish from others. */
const toDistinct = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
    return String(value);
  // values of another realm, such as another frame, are no instances of the classes of this one
  const kind = toKind(value);
  if (kind === "blob" || kind === "file") return describeFile(value as Blob);
  if (kind === "arraybuffer") return new Uint8Array(value as ArrayBuffer);
  if (kind !== "dataview") return value;
  const { buffer, byteOffset, byteLength } = value as DataView;
  return new Uint8Array(buffer, byteOffset, byteLength);
};

/** Converts an input to a value that TanStack Query can hash and compare, without undefined values. */
const toPlain = (input: unknown): unknown => JSON.parse(JSON.stringify(input ?? {}, toDistinct));

/**
 * Returns the key of a query: the segments of the path, the method and the input.
 *
 * With fewer arguments, it returns a prefix that matches several queries, for example to invalidate them. Without an
 * input, these are all queries for a route; with only a path, all queries for the routes beneath that path.
 *
 * A file in the input is identified by its object: another `File` with the same content has another key.
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
