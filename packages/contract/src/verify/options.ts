import type { Routing } from "sallyport";
import type { OpenApiOptions } from "sallyport/openapi";
import type { testServer } from "sallyport/testing";
import { ContractError } from "../errors.ts";
import type { Fields } from "./call.ts";
import type { Operation } from "./operation.ts";

/** What sends requests to the API under test. */
export interface VerifyClient {
  /** Sends a request as it is. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Sends JSON as those who are logged in for the operation; `target` is a method and a path, as in `POST /users`. */
  readonly send: (target: string, body?: unknown, headers?: Headers) => Promise<Response>;
}

type Headers = Readonly<Record<string, string>>;

/** What a login is for. */
export interface LoginContext {
  readonly method: string;
  /** The path as in the routing map, such as `/users/:id`. */
  readonly path: string;
  /** The scopes that the operation requires; empty when the login must lack them. */
  readonly scopes: readonly string[];
}

/**
 * Logs in; returns the secret of the scheme, such as the token or the value of the cookie, or whole header fields.
 */
export type Login = (
  client: VerifyClient,
  context: LoginContext,
) => Promise<string | Headers> | string | Headers;

/** Creates what an operation needs; returns fields of its input. */
export type Fixture = (client: VerifyClient) => Promise<Fields> | Fields;

type Config = Parameters<typeof testServer>[0];

/** What the checks of an API need to know. */
export interface CheckOptions {
  readonly routing?: Routing | undefined;
  readonly config?: Config | undefined;
  /**
   * How to log in, by the name of the security scheme in the document. With `other`, resources of the one must be out of
   * reach for the other.
   */
  readonly login?:
    | Readonly<Record<string, Login | { readonly own: Login; readonly other: Login }>>
    | undefined;
  /**
   * What operations need, by path, such as `/users/:id`, or by operation, such as `delete /users/:id`. A path also
   * stands for those below it. Fields of the result go where the operation reads them.
   */
  readonly fixtures?: Readonly<Record<string, Fixture>> | undefined;
  /**
   * Reasons to leave out an operation, such as `get /users/:id`, or a check of it, such as
   * `get /users/:id ignored_auth`.
   */
  readonly skip?: Readonly<Record<string, string>> | undefined;
  /**
   * The operations to verify, such as `POST /orders`; the path is as in the routing map or in the document.
   *
   * @default all
   */
  readonly operations?: readonly string[] | undefined;
  /** Brings the data into the state of the start; called before each operation. */
  readonly reset?: (() => unknown) | undefined;
  /**
   * What generated calls follow from; the same seed gives the same calls.
   *
   * @default random
   */
  readonly seed?: number | undefined;
  /**
   * The number of generated calls per operation.
   *
   * @default 20
   */
  readonly runs?: number | undefined;
  /**
   * How long to wait for a reply, or for the first event of a stream, in milliseconds.
   *
   * @default 5000
   */
  readonly patience?: number | undefined;
}

/** The options of `verify`. */
export interface VerifyOptions extends CheckOptions {
  readonly routing: Routing;
  /**
   * The configuration of `createServer`.
   *
   * @default that of `testServer`
   */
  readonly config?: Config | undefined;
  /** Selects operations, as `generateOpenApi` does. */
  readonly routes?: OpenApiOptions["routes"];
}

/** The options of `verify` for a server that runs already, of which there is a document. */
export interface VerifyDocumentOptions extends Omit<CheckOptions, "routing" | "config"> {
  /** The OpenAPI document: an object, or a file in JSON or YAML. */
  readonly document: string | object;
  /** Where the server is, with the path under which those of the document are. */
  readonly url: string;
  /**
   * Hosts beside this machine that may be called.
   *
   * @default none
   */
  readonly allowHost?: string | readonly string[] | undefined;
}

/** Returns the reason to leave out an operation or one of its checks; undefined if there is none. */
export const findReason = (
  { skip = {} }: CheckOptions,
  { key }: Operation,
  check?: string,
): string | undefined => {
  const name = check === undefined ? key : `${key} ${check}`;
  return Object.hasOwn(skip, name) ? skip[name] : undefined;
};

/**
 * Returns the operations that are to be verified.
 *
 * @throws {@link ContractError} when there is no such operation.
 */
export const selectOperations = (
  { operations: names }: CheckOptions,
  all: readonly Operation[],
): readonly Operation[] => {
  if (names === undefined) return all;
  const chosen = new Set(
    names.map((name) => {
      const wanted = toWritten(name);
      const found = all.find(
        ({ key, method, path }) => key === wanted || `${method} ${path}` === wanted,
      );
      if (found) return found;
      const near = all
        .map(({ key }) => ({ key, distance: toDistance(wanted, key) }))
        .toSorted((one, other) => one.distance - other.distance)
        .slice(0, 3)
        .filter(({ distance }, at) => at === 0 || distance < 6)
        .map(({ key }) => key);
      throw new ContractError(
        `operations: there is no ${name}. ${near.length > 0 ? `Did you mean ${near.join(", or ")}?` : "The API has none."}`,
      );
    }),
  );
  return all.filter((one) => chosen.has(one));
};

/** Writes the method of an operation in lower case. */
const toWritten = (name: string): string => {
  const [method = "", ...path] = name.trim().split(/ +/);
  return [method.toLowerCase(), ...path].join(" ");
};

/** Counts the characters to change for one text to become another. */
const toDistance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [line, char] of Array.from(one).entries())
    row = row.reduce<number[]>(
      (next, above, at) => [
        ...next,
        at === 0
          ? line + 1
          : Math.min(
              above + 1,
              (next[at - 1] ?? 0) + 1,
              (row[at - 1] ?? 0) + (other[at - 1] === char ? 0 : 1),
            ),
      ],
      [],
    );
  return row.at(-1) ?? 0;
};

/** @throws {@link ContractError} when an option has the wrong shape, or names no operation. */
export const checkVerifyOptions = (
  { skip = {}, fixtures = {}, runs = 0, seed = 0, patience = 1 }: CheckOptions,
  operations: readonly Operation[],
  checks: readonly string[],
): void => {
  for (const [name, reason] of Object.entries(skip)) {
    const [method, path, check] = name.split(" ");
    const isKnown = operations.some(({ key }) => key === `${method} ${path}`);
    if (!isKnown || (check !== undefined && !checks.includes(check)))
      throw new ContractError(
        `skip: ${name} is neither an operation nor a check of one. Write it as ${operations[0]?.key ?? "get /users/:id"}, or ${operations[0]?.key ?? "get /users/:id"} ignored_auth.`,
      );
    if (typeof reason !== "string" || reason.trim() === "")
      throw new ContractError(`skip: ${name} needs a reason, as in { "${name}": "a reason" }.`);
  }
  for (const name of Object.keys(fixtures))
    if (!operations.some((one) => name === one.key || isAtOrBelow(one.route, name)))
      throw new ContractError(
        `fixtures: ${name} is neither an operation nor a path. Write it as ${operations[0]?.key ?? "get /users/:id"}, or as a path.`,
      );
  if (!Number.isInteger(runs) || runs < 0)
    throw new ContractError(`runs must be an integer from 0; got ${runs}.`);
  if (!Number.isInteger(seed)) throw new ContractError(`seed must be an integer; got ${seed}.`);
  if (!(patience > 0)) throw new ContractError(`patience must be above 0; got ${patience}.`);
};

const isAtOrBelow = (route: string, path: string): boolean => `${route}/`.startsWith(`${path}/`);

/** Finds the fixture of an operation: its own, or that of the longest path. */
export const findFixture = (
  { fixtures = {} }: CheckOptions,
  { key, route }: Operation,
): Fixture | undefined => {
  if (Object.hasOwn(fixtures, key)) return fixtures[key];
  const paths = Object.keys(fixtures).filter((path) => isAtOrBelow(route, path));
  const [path] = paths.toSorted((one, other) => other.length - one.length);
  return path === undefined ? undefined : fixtures[path];
};
