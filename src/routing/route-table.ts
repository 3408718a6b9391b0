import { RequestError, RoutingError } from "../errors.ts";
import { BareObject } from "../http/query.ts";
import type { Method } from "../http/method.ts";
import { listNames, matchParameters, parsePathPattern, type Segment } from "./path-pattern.ts";

/** The parameters of a path, by name, on an object without a prototype. */
export type PathParameters = Record<string, string | string[]>;

/** A route that was found. */
export interface RouteMatch<Target> {
  readonly target: Target;
  readonly params: PathParameters;
}

/** A route as the tree stores it. */
interface Leaf<Target> {
  readonly path: string;
  readonly target: Target;
  readonly names: readonly string[];
  /** The rank of each segment, then the number of earlier routes; a smaller rank is a better match. */
  readonly ranks: readonly number[];
}

/** A segment in the tree of paths. */
interface Node<Target> {
  readonly literals: Map<string, Node<Target>>;
  /** The only literal child, if there is just one: comparing it in place avoids slicing and hashing a segment. */
  only: LiteralChild<Target> | undefined;
  /** The children with parameters, in descending order of the number of literal characters around their parameters. */
  readonly parameters: ParameterChild<Target>[];
  rest: Leaf<Target> | undefined;
  leaf: Leaf<Target> | undefined;
}

interface LiteralChild<Target> {
  readonly text: string;
  readonly node: Node<Target>;
}

interface ParameterChild<Target> {
  readonly around: readonly string[];
  /** Whether a single parameter matches the whole segment. */
  readonly isWhole: boolean;
  readonly node: Node<Target>;
}

const createNode = <Target>(): Node<Target> => ({
  literals: new Map(),
  only: undefined,
  parameters: [],
  rest: undefined,
  leaf: undefined,
});

/**
 * A table that finds the route for a method and a path.
 *
 * A literal segment takes precedence over a parameter, and a parameter over a wildcard; among parameters, the one with
 * more literal characters wins. Each method has its own tree, so the routes of different methods never interfere. The
 * cost of finding a route hardly depends on the number of routes.
 */
export class RouteTable<Target> {
  readonly #trees = new Map<Method, Node<Target>>();
  #size = 0;
  /** Prepares the literals of routes and requests for comparison; undefined if they are compared as they are. */
  readonly #fold: ((text: string) => string) | undefined;

  /** @param caseSensitive whether literals match only in the case of the route */
  constructor(caseSensitive = true) {
    this.#fold = caseSensitive ? undefined : foldCase;
  }

  /**
   * Adds a route.
   *
   * @throws {@link RoutingError} when the path's syntax is invalid, or when the table already has this method and path.
   */
  add(method: Method, path: string, target: Target): void {
    const segments = parsePathPattern(path);
    let node = this.#trees.get(method) ?? this.#addTree(method);
    const names = segments.flatMap(listNames);
    const leaf = { path, target, names, ranks: [...segments.map(toRank), this.#size++] };
    for (const segment of segments) {
      if (segment.kind === "rest") {
        if (node.rest) refuseDuplicate(method, path, node.rest);
        node.rest = leaf;
        return;
      }
      node =
        segment.kind === "literal"
          ? toChild(node, this.#toLiteral(segment.text))
          : toParameterChild(
              node,
              segment.around.map((text) => this.#toLiteral(text)),
            );
    }
    if (node.leaf) refuseDuplicate(method, path, node.leaf);
    node.leaf = leaf;
  }

  /** Returns the text of a route as decoded paths are compared with it. */
  #toLiteral(text: string): string {
    const hidden = hideSlashes(text);
    return this.#fold ? this.#fold(hidden) : hidden;
  }

  #addTree(method: Method): Node<Target> {
    const tree = createNode<Target>();
    this.#trees.set(method, tree);
    return tree;
  }

  /**
   * Finds the route of a canonical path.
   *
   * @throws {@link RequestError} when the path has malformed percent-encoding.
   */
  find(method: Method, path: string): RouteMatch<Target> | undefined {
    const tree = this.#trees.get(method);
    if (!tree) return undefined;
    const decoded = path.includes("%") ? decodePath(path) : path;
    const values: (string | string[])[] = [];
    const leaf = match(
      tree,
      decoded,
      this.#fold ? this.#fold(decoded) : decoded,
      path === "/" ? 2 : 1,
      decoded.length,
      values,
    );
    if (!leaf) return undefined;
    const shown = decoded === path ? values : values.map(showSlashes);
    return { target: leaf.target, params: toParams(leaf.names, shown) };
  }

  /**
   * Lists the matching route of each method for a path; the best match comes first, and of equal ones the first added.
   *
   * @throws {@link RequestError} when the path has malformed percent-encoding.
   */
  findAll(path: string): readonly { readonly method: Method; readonly target: Target }[] {
    const decoded = path.includes("%") ? decodePath(path) : path;
    const folded = this.#fold ? this.#fold(decoded) : decoded;
    const found = [...this.#trees].flatMap(([method, tree]) => {
      const leaf = match(tree, decoded, folded, path === "/" ? 2 : 1, decoded.length, []);
      return leaf ? { method, leaf } : [];
    });
    return found
      .toSorted((one, other) => compareRanks(one.leaf.ranks, other.leaf.ranks))
      .map(({ method, leaf }) => ({ method, target: leaf.target }));
  }
}

/**
 * Returns the rank of a segment. Literals come before parameters, more literal characters before fewer, and wildcards
 * last.
 */
export const toRank = (segment: Segment): number => {
  if (segment.kind === "literal") return 0;
  if (segment.kind === "rest") return Infinity;
  return 1 / (segment.around.join("").length + segment.around.length / 1000);
};

const compareRanks = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((rank, index) => rank !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) < (other[at] ?? 0) ? -1 : 1;
};

const refuseDuplicate = (method: Method, path: string, known: { readonly path: string }): never => {
  throw new RoutingError(
    "SLP_ROUTING_DUPLICATE",
    known.path === path
      ? `The route ${method} ${path} is declared twice; remove one of them.`
      : `The routes ${method} ${known.path} and ${method} ${path} match the same paths; remove one of them.`,
    { method, path },
  );
};

const toChild = <Target>(parent: Node<Target>, text: string): Node<Target> => {
  const known = parent.literals.get(text);
  if (known) return known;
  const node = createNode<Target>();
  parent.literals.set(text, node);
  parent.only = parent.literals.size === 1 ? { text, node } : undefined;
  return node;
};

const toParameterChild = <Target>(
  { parameters }: Node<Target>,
  around: readonly string[],
): Node<Target> => {
  const same = parameters.find((one) => hasSameTexts(one.around, around));
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

const hasSameTexts = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, index) => text === other[index]);

const findLiteral = <Target>(
  { only, literals }: Node<Target>,
  path: string,
  start: number,
  end: number,
): Node<Target> | undefined => {
  if (!only) return literals.size === 0 ? undefined : literals.get(path.slice(start, end));
  const { text, node } = only;
  if (text.length !== end - start) return undefined;
  for (let index = 0; index < text.length; index++)
    if (path.charCodeAt(start + index) !== text.charCodeAt(index)) return undefined;
  return node;
};

const slash = 0x2f;

/**
 * Walks down the tree from the segment that starts at an index; the first leaf ends the walk.
 *
 * @param folded the path as literals are compared with it
 * @param start the index is past the end if the path has no segment
 * @param last the index at which the path ends
 */
const match = <Target>(
  node: Node<Target>,
  path: string,
  folded: string,
  start: number,
  last: number,
  values: (string | string[])[],
): Leaf<Target> | undefined => {
  if (start > last) return node.leaf;
  // for strings this short, a loop is faster than a search
  let end = start;
  while (end < last && path.charCodeAt(end) !== slash) end++;
  const literal = findLiteral(node, folded, start, end);
  const below = literal && match(literal, path, folded, end + 1, last, values);
  if (below) return below;
  if (start === end) return undefined;
  const taken = values.length;
  for (const { around, isWhole, node: next } of node.parameters) {
    if (isWhole) {
      values.push(path.slice(start, end));
    } else {
      const matched = matchParameters(around, folded.slice(start, end));
      if (!matched) continue;
      let at = start;
      for (const [index, { length }] of matched.entries()) {
        at += around[index]?.length ?? 0;
        values.push(path.slice(at, (at += length)));
      }
    }
    const leaf = match(next, path, folded, end + 1, last, values);
    if (leaf) return leaf;
    values.length = taken;
  }
  if (!node.rest) return undefined;
  const rest = path.slice(start, last).split("/");
  if (rest.includes("")) return undefined;
  values.push(rest);
  return node.rest;
};

/** Folds ASCII letters only, because the length of other letters may change. */
const foldCase = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The stand-in for a slash inside a segment (`%2F`); decoding can never produce this lone surrogate. */
const hiddenSlash = "\ud800";
/** The flag `u` prevents a match with half of a surrogate pair. */
const hiddenSlashes = /\ud800/gu;
const hideSlashes = (text: string): string => text.replaceAll("/", hiddenSlash);
const showSlashes = (value: string | string[]): string | string[] =>
  typeof value === "string"
    ? value.replaceAll(hiddenSlashes, "/")
    : value.map((text) => text.replaceAll(hiddenSlashes, "/"));

/** Decodes each segment once. */
const decodePath = (path: string): string => {
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
