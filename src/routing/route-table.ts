import { RequestError, RoutingError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import type { Method } from "../http/method.ts";
import { listNames, matchParameters, parsePathPattern, type Segment } from "./path-pattern.ts";

/** The parameters of a path, by name, on an object without a prototype. */
export type PathParameters = Record<string, string | string[]>;

/** A route that was found. */
export interface Found<Target> {
  readonly target: Target;
  readonly params: PathParameters;
}

/** What serves a path. */
interface Leaf<Target> {
  readonly routes: Map<Method, { readonly target: Target; readonly names: readonly string[] }>;
  readonly path: string;
}

/** A segment deep in the tree of paths. */
interface Node<Target> {
  readonly literals: Map<string, Node<Target>>;
  /** The most specific first: the more text around the parameters, the earlier. */
  readonly parameters: ParameterChild<Target>[];
  rest: Leaf<Target> | undefined;
  leaf: Leaf<Target> | undefined;
}

interface ParameterChild<Target> {
  readonly around: readonly string[];
  /** Whether one parameter takes the whole segment. */
  readonly isWhole: boolean;
  readonly node: Node<Target>;
}

const createNode = <Target>(): Node<Target> => ({
  literals: new Map(),
  parameters: [],
  rest: undefined,
  leaf: undefined,
});

/** Tells whether a leaf ends the search. */
type Accept<Target> = (leaf: Leaf<Target>) => boolean;

/**
 * Finds what serves a method and a path.
 *
 * A literal segment beats a parameter, and a parameter beats a wildcard; among parameters the one with more text around wins.
 * Where the better match lacks the method, the next one that has it serves. The cost does not grow with the number of routes.
 */
export class RouteTable<Target> {
  readonly #root = createNode<Target>();
  /** Paths without parameters, found without walking the tree. */
  readonly #literals = new Map<string, Leaf<Target>>();
  /** Made once for each method, not for each request. */
  readonly #accepts = new Map<Method, Accept<Target>>();

  /**
   * Adds a route.
   *
   * @throws {@link RoutingError} when the path's syntax is wrong, or when the method has this path already.
   */
  add(method: Method, path: string, target: Target): void {
    const segments = parsePathPattern(path);
    const leaf = this.#toLeaf(segments, path);
    if (leaf.routes.has(method))
      throw new RoutingError(
        "SLP_ROUTING_DUPLICATE",
        leaf.path === path
          ? `The route ${method} ${path} is declared twice; remove one of them.`
          : `The routes ${method} ${leaf.path} and ${method} ${path} match the same paths; remove one of them.`,
        { method, path },
      );
    const names = segments.flatMap(listNames);
    leaf.routes.set(method, { target, names });
    if (names.length === 0) this.#literals.set(path, leaf);
    this.#accepts.set(method, ({ routes }) => routes.has(method));
  }

  /**
   * Finds the route of a canonical path.
   *
   * @throws {@link RequestError} when the path has malformed percent-encoding.
   */
  find(method: Method, path: string): Found<Target> | undefined {
    const literal = this.#literals.get(path)?.routes.get(method);
    if (literal) return { target: literal.target, params: new BareObject() as PathParameters };
    const accept = this.#accepts.get(method);
    const values: (string | string[])[] = [];
    const decoded = decodePath(path);
    const leaf = accept && match(this.#root, decoded, toStart(decoded), values, accept);
    const route = leaf?.routes.get(method);
    if (!route) return undefined;
    const shown = decoded === path ? values : values.map(showSlashes);
    return { target: route.target, params: toParams(route.names, shown) };
  }

  /**
   * Lists the routes of every method that match a path, in the order of their declaration.
   *
   * @throws {@link RequestError} when the path has malformed percent-encoding.
   */
  findAll(path: string): readonly { readonly method: Method; readonly target: Target }[] {
    const found = new Map<Method, Target>();
    const decoded = decodePath(path);
    match(this.#root, decoded, toStart(decoded), [], ({ routes }) => {
      for (const [method, { target }] of routes) if (!found.has(method)) found.set(method, target);
      return false;
    });
    return [...found].map(([method, target]) => ({ method, target }));
  }

  #toLeaf(segments: readonly Segment[], path: string): Leaf<Target> {
    let node = this.#root;
    for (const segment of segments) {
      if (segment.kind === "rest") return (node.rest ??= { routes: new Map(), path });
      node =
        segment.kind === "literal"
          ? toChild(node, hideSlashes(segment.text))
          : toParameterChild(node, segment.around.map(hideSlashes));
    }
    return (node.leaf ??= { routes: new Map(), path });
  }
}

const toChild = <Target>({ literals }: Node<Target>, text: string): Node<Target> => {
  const child = literals.get(text) ?? createNode<Target>();
  literals.set(text, child);
  return child;
};

const toParameterChild = <Target>(
  { parameters }: Node<Target>,
  around: readonly string[],
): Node<Target> => {
  const same = parameters.find((one) => one.around.join(":") === around.join(":"));
  if (same) return same.node;
  const node = createNode<Target>();
  const isWhole = around.length === 2 && around.join("") === "";
  parameters.push({ around, isWhole, node });
  parameters.sort(
    (one, other) =>
      other.around.join("").length - one.around.join("").length ||
      other.around.length - one.around.length,
  );
  return node;
};

/** Where the first segment starts; past the end where there is none. */
const toStart = (path: string): number => (path === "/" ? 2 : 1);

/** Walks down the tree from the segment that starts at an index; the first leaf that is accepted ends the walk. */
const match = <Target>(
  node: Node<Target>,
  path: string,
  start: number,
  values: (string | string[])[],
  accept: Accept<Target>,
): Leaf<Target> | undefined => {
  if (start > path.length) return node.leaf && accept(node.leaf) ? node.leaf : undefined;
  let end = path.indexOf("/", start);
  if (end < 0) end = path.length;
  const segment = path.slice(start, end);
  const literal = node.literals.get(segment);
  const below = literal && match(literal, path, end + 1, values, accept);
  if (below) return below;
  if (segment === "") return undefined;
  const taken = values.length;
  for (const { around, isWhole, node: next } of node.parameters) {
    if (isWhole) {
      values.push(segment);
    } else {
      const matched = matchParameters(around, segment);
      if (!matched) continue;
      values.push(...matched);
    }
    const leaf = match(next, path, end + 1, values, accept);
    if (leaf) return leaf;
    values.length = taken;
  }
  if (!node.rest || !accept(node.rest)) return undefined;
  const rest = path.slice(start).split("/");
  if (rest.includes("")) return undefined;
  values.push(rest);
  return node.rest;
};

/** Stands for a slash inside a segment (`%2F`); decoding can never yield this lone surrogate. */
const hiddenSlash = "\ud800";
/** With the flag `u` it never matches the half of a character. */
const hiddenSlashes = /\ud800/gu;
const hideSlashes = (text: string): string => text.replaceAll("/", hiddenSlash);
const showSlashes = (value: string | string[]): string | string[] =>
  typeof value === "string"
    ? value.replaceAll(hiddenSlashes, "/")
    : value.map((text) => text.replaceAll(hiddenSlashes, "/"));

/** Decodes each segment once. */
const decodePath = (path: string): string => {
  if (!path.includes("%")) return path;
  try {
    return path
      .split("/")
      .map((segment) => hideSlashes(decodeURIComponent(segment)))
      .join("/");
  } catch (cause) {
    throw new RequestError("SLP_PATH_MALFORMED", { cause });
  }
};

const toParams = (
  names: readonly string[],
  values: readonly (string | string[])[],
): PathParameters => {
  const params = new BareObject() as PathParameters;
  for (let index = 0; index < names.length; index++)
    params[names[index] as string] = values[index] as string | string[];
  return params;
};
