import { defaults } from "../../basics/defaults.ts";
import { RoutingError } from "../../basics/errors.ts";
import { BareObject } from "../../basics/http/query.ts";
import type { Method } from "../../basics/http/method.ts";
import { decodeSegment, matchParameters, parsePathPattern, type Segment } from "./path-pattern.ts";

type PathParameters = Record<string, string | string[]>;

interface Leaf<Target> {
  readonly path: string;
  readonly target: Target;
  readonly names: readonly string[];
  /** The rank of each segment, then the number of earlier routes; a smaller rank is a better match. */
  readonly ranks: readonly number[];
}

class Node<Target> {
  readonly literals = new Map<string, Node<Target>>();
  /** The children with parameters, in ascending order of their ranks. */
  readonly parameters: ParameterChild<Target>[] = [];
  rest: Leaf<Target> | undefined;
  leaf: Leaf<Target> | undefined;
}

interface ParameterChild<Target> {
  readonly around: readonly string[];
  readonly isWhole: boolean;
  readonly rank: number;
  readonly node: Node<Target>;
}

/**
 * A table that finds the route for a method and a path. A literal segment takes precedence over a parameter, and a
 * parameter over a wildcard; of two parameters, the one with more literal characters wins. Each method has its own
 * tree.
 */
export class RouteTable<Target> {
  readonly #trees = new Map<Method, Node<Target>>();
  #size = 0;
  /** Prepares the literals of routes, and the segments that are compared with them. */
  readonly #fold: ((text: string) => string) | undefined;

  constructor(caseSensitive: boolean = defaults.caseSensitive) {
    this.#fold = caseSensitive ? undefined : foldCase;
  }

  /** @throws {@link RoutingError} when the syntax is invalid, or the same paths have a route for the method. */
  add(method: Method, path: string, target: Target): void {
    const segments = parsePathPattern(path);
    const toLiteral = this.#fold ?? ((text: string) => text);
    let node = this.#trees.get(method) ?? new Node<Target>();
    this.#trees.set(method, node);
    const names = segments.flatMap((segment) => segment.names);
    const leaf = { path, target, names, ranks: [...segments.map(toRank), this.#size++] };
    const end = segments.at(-1)?.kind === "rest" ? "rest" : "leaf";
    for (const segment of end === "rest" ? segments.slice(0, -1) : segments) {
      const around = segment.around.map(toLiteral);
      node =
        segment.kind === "literal"
          ? toChild(node, around.join(""))
          : toParameterChild(node, around, toRank(segment));
    }
    const known = node[end];
    if (known) refuseDuplicate(method, path, known);
    node[end] = leaf;
  }

  /** Finds the route of a canonical path; throws a RequestError if its percent-encoding is malformed. */
  find(method: Method, path: string) {
    const tree = this.#trees.get(method);
    if (!tree || hasDotSegment(path)) return undefined;
    const values: (string | string[])[] = [];
    const leaf = match(tree, toSearch(path, this.#fold), 1, values);
    if (!leaf) return undefined;
    const params = new BareObject() as PathParameters;
    const { names } = leaf;
    for (let index = 0; index < names.length; index++)
      params[names[index] as string] = values[index] as string | string[];
    return { target: leaf.target, params };
  }

  /** Lists the matching route of each method; the best match comes first, and of equal ones the first added. */
  findAll(path: string): readonly { readonly method: Method; readonly target: Target }[] {
    if (hasDotSegment(path)) return [];
    const search = toSearch(path, this.#fold);
    return [...this.#trees]
      .flatMap(([method, tree]) => {
        const leaf = match(tree, search, 1, []);
        return leaf ? { method, ...leaf } : [];
      })
      .sort((one, other) => compareRanks(one.ranks, other.ranks));
  }
}

/** Returns the rank of a segment: literals first, then parameters with more literal characters, wildcards last. */
export const toRank = (segment: Segment): number => {
  if (segment.kind === "literal") return 0;
  if (segment.kind === "rest") return Infinity;
  return 1 / (segment.around.join("").length + segment.around.length / 1000);
};

const compareRanks = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((rank, index) => rank !== other[index]);
  return (one[at] ?? 0) - (other[at] ?? 0);
};

const refuseDuplicate = (method: Method, path: string, known: { readonly path: string }): never => {
  throw new RoutingError(
    "SLP_ROUTING_DUPLICATE",
    known.path === path
      ? `The route ${method} ${path} is declared twice; remove one of them. The \`docs\` and \`health\` options declare routes, too.`
      : `The routes ${method} ${known.path} and ${method} ${path} match the same paths; remove one of them.`,
    { method, path },
  );
};

const toChild = <Target>({ literals }: Node<Target>, text: string): Node<Target> => {
  const node = literals.get(text) ?? new Node<Target>();
  literals.set(text, node);
  return node;
};

const toParameterChild = <Target>(
  { parameters }: Node<Target>,
  around: readonly string[],
  rank: number,
): Node<Target> => {
  const text = JSON.stringify(around);
  const same = parameters.find((one) => JSON.stringify(one.around) === text);
  if (same) return same.node;
  const node = new Node<Target>();
  parameters.push({ around, isWhole: text === '["",""]', rank, node });
  parameters.sort((one, other) => one.rank - other.rank);
  return node;
};

/** A canonical path, and how its segments are compared. */
interface Search {
  readonly path: string;
  readonly isEncoded: boolean;
  readonly fold: ((text: string) => string) | undefined;
}

/** Matches the segments of a path from an index on, which is beyond the end of the path if there are none. */
const match = <Target>(
  node: Node<Target>,
  search: Search,
  from: number,
  values: (string | string[])[],
): Leaf<Target> | undefined => {
  const { path, isEncoded, fold } = search;
  if (from > path.length) return node.leaf;
  const slash = path.indexOf("/", from);
  const end = slash < 0 ? path.length : slash;
  const text = path.slice(from, end);
  const segment = isEncoded ? decodeSegment(text) : text;
  const literal = fold ? fold(segment) : segment;
  const child = node.literals.get(literal);
  const below = child && match(child, search, end + 1, values);
  if (below) return below;
  if (segment === "") return undefined;
  const taken = values.length;
  for (const { around, isWhole, node: next } of node.parameters) {
    const matched = isWhole ? segment : matchParameters(around, segment, literal);
    if (matched === undefined) continue;
    if (typeof matched === "string") values.push(matched);
    else values.push(...matched);
    const leaf = match(next, search, end + 1, values);
    if (leaf) return leaf;
    values.length = taken;
  }
  if (!node.rest) return undefined;
  const rest = path.slice(from).split("/");
  if (rest.includes("")) return undefined;
  values.push(isEncoded ? rest.map(decodeSegment) : rest);
  return node.rest;
};

/** Folds ASCII letters only, because the length of other letters may change. */
const foldCase = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Checks whether a path has a segment that a file system, or another server, would follow to another path. */
const hasDotSegment = (path: string): boolean =>
  path.includes("/.") && /\/\.{1,2}(?:\/|$)/.test(path);

const toSearch = (path: string, fold: Search["fold"]): Search => {
  const isEncoded = path.includes("%") && decodeSegment(path) !== path;
  return { path: path === "/" ? "" : path, isEncoded, fold };
};
