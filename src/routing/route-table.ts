import { RequestError, RoutingError } from "../errors.ts";
import type { Method } from "../http/method.ts";
import { matchParameters, parsePathPattern, type Segment } from "./path-pattern.ts";

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
  readonly parameters: { readonly around: readonly string[]; readonly node: Node<Target> }[];
  rest: Leaf<Target> | undefined;
  leaf: Leaf<Target> | undefined;
}

const createNode = <Target>(): Node<Target> => ({
  literals: new Map(),
  parameters: [],
  rest: undefined,
  leaf: undefined,
});

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
  /** The object that paths without parameters share. */
  readonly #noParams: PathParameters = Object.freeze(Object.create(null) as PathParameters);

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
    const names = segments.flatMap((segment) =>
      segment.kind === "parameters"
        ? segment.names
        : segment.kind === "rest"
          ? [segment.name]
          : [],
    );
    leaf.routes.set(method, { target, names });
    if (names.length === 0) this.#literals.set(path, leaf);
  }

  /**
   * Finds the route of a canonical path.
   *
   * @throws {@link RequestError} when the path has malformed percent-encoding.
   */
  find(method: Method, path: string): Found<Target> | undefined {
    const literal = this.#literals.get(path)?.routes.get(method);
    if (literal) return { target: literal.target, params: this.#noParams };
    const values: (string | string[])[] = [];
    const leaf = this.#match(this.#root, toSegments(path), 0, values, (one) => one.routes.has(method));
    const route = leaf?.routes.get(method);
    return route && { target: route.target, params: toParams(route.names, values) };
  }

  /** Lists the routes of every method that match a path, in the order of their declaration. */
  findAll(path: string): readonly { readonly method: Method; readonly target: Target }[] {
    const found = new Map<Method, Target>();
    const collect = (leaf: Leaf<Target>): boolean => {
      for (const [method, { target }] of leaf.routes)
        if (!found.has(method)) found.set(method, target);
      return false;
    };
    this.#match(this.#root, toSegments(path), 0, [], collect);
    return [...found].map(([method, target]) => ({ method, target }));
  }

  /** Walks down the tree; the first leaf that is accepted ends the walk. */
  #match(
    node: Node<Target>,
    segments: readonly string[],
    depth: number,
    values: (string | string[])[],
    accept: (leaf: Leaf<Target>) => boolean,
  ): Leaf<Target> | undefined {
    const segment = segments[depth];
    if (segment === undefined) return node.leaf && accept(node.leaf) ? node.leaf : undefined;
    const literal = node.literals.get(segment);
    const below = literal && this.#match(literal, segments, depth + 1, values, accept);
    if (below) return below;
    if (segment === "") return undefined;
    const taken = values.length;
    for (const { around, node: next } of node.parameters) {
      const matched = around.length === 2 && around[0] === "" && around[1] === "" ? [segment] : matchParameters(around, segment);
      if (!matched) continue;
      values.push(...matched);
      const leaf = this.#match(next, segments, depth + 1, values, accept);
      if (leaf) return leaf;
      values.length = taken;
    }
    if (node.rest && !segments.includes("", depth) && accept(node.rest)) {
      values.push(segments.slice(depth));
      return node.rest;
    }
    return undefined;
  }

  #toLeaf(segments: readonly Segment[], path: string): Leaf<Target> {
    let node = this.#root;
    for (const segment of segments) {
      if (segment.kind === "rest") return (node.rest ??= { routes: new Map(), path });
      node = segment.kind === "literal" ? toChild(node, segment.text) : toParameterChild(node, segment.around);
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
  parameters.push({ around, node });
  parameters.sort((one, other) => other.around.join("").length - one.around.join("").length || other.around.length - one.around.length);
  return node;
};

const toSegments = (path: string): readonly string[] => {
  if (path === "/") return [];
  const segments = path.slice(1).split("/");
  return path.includes("%") ? segments.map(decodeSegment) : segments;
};

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new RequestError("SLP_PATH_MALFORMED", undefined, cause);
  }
};

const toParams = (
  names: readonly string[],
  values: readonly (string | string[])[],
): PathParameters => {
  const params = Object.create(null) as PathParameters;
  names.forEach((name, index) => (params[name] = values[index] ?? ""));
  return params;
};
