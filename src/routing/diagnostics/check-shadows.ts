import { parsePathPattern, type Segment } from "../path-pattern.ts";
import { RouteTable } from "../route-table.ts";
import type { EndpointEntry, StaticEntry } from "../walk-routing.ts";
import { acceptsParameters } from "./accepts-parameters.ts";
import { findCommonPath, findRest, takes } from "./common-path.ts";
import { toPlace, type Diagnostic } from "./diagnostic.ts";

interface Route {
  readonly entry: EndpointEntry;
  readonly segments: readonly Segment[];
}

/**
 * Finds routes and files that receive fewer requests than their path suggests. A literal that takes precedence over a
 * parameter is intended, and causes no warning.
 */
export const checkShadows = (
  entries: readonly EndpointEntry[],
  files: readonly StaticEntry[],
): readonly Diagnostic[] => {
  const routes = entries.map((entry) => ({ entry, segments: parsePathPattern(entry.path) }));
  return [...checkRoutes(routes), ...files.flatMap((mount) => checkFiles(mount, routes))];
};

const checkRoutes = (routes: readonly Route[]): readonly Diagnostic[] => {
  const mixed = routes.filter(({ segments }) => segments.some(isMixed));
  if (mixed.length === 0) return [];
  const table = new RouteTable<EndpointEntry>();
  for (const { entry } of routes) table.add(entry.method, entry.path, entry);
  const known = new Set<string>();
  return mixed.flatMap((one) =>
    routes.flatMap((other) => {
      if (one.entry.method !== other.entry.method) return [];
      const pair = [one.entry.path, other.entry.path].toSorted().join(" ");
      const shadow = known.has(pair) ? undefined : compare(one, other, table);
      if (!shadow) return [];
      known.add(pair);
      return [shadow];
    }),
  );
};

/** Returns the literals around the parameters of a segment; undefined for a segment without parameters. */
const toTexts = (segment: Segment | undefined): readonly string[] | undefined =>
  segment?.kind === "parameters" ? segment.around : undefined;

const isMixed = (segment: Segment): boolean => (toTexts(segment)?.join("") ?? "") !== "";

const compare = (
  one: Route,
  other: Route,
  table: RouteTable<EndpointEntry>,
): Diagnostic | undefined => {
  const conflict = findConflict(one.segments, other.segments);
  const loss = conflict && findLoss(one, other, conflict.at, table);
  if (!loss) return undefined;
  const { example, taker, loser } = loss;
  const meta = { method: loser.method, path: loser.path, takenBy: taker.path, example };
  return conflict.kind === "order"
    ? {
        code: "SLP_WARN_ROUTE_ORDER",
        text: `${toPlace(taker)} and ${toPlace(loser)} both match paths such as ${example}, and only their order decides which one is used. Add literal text to one of the paths.`,
        meta,
      }
    : {
        code: "SLP_WARN_ROUTE_SHADOWED",
        text: `${toPlace(loser)} never receives paths such as ${example}, because they go to ${toPlace(taker)}. Add literal text to one of the paths, or a literal segment before its parameters.`,
        meta,
      };
};

interface Conflict {
  /**
   * `order`: only the order of the routes decides. `values`: a parameter value that contains the other route's
   * separators goes to that route.
   */
  readonly kind: "order" | "values";
  readonly at: number;
}

/** Compares two routes at the first segment where the route table has to choose between them. */
const findConflict = (one: readonly Segment[], other: readonly Segment[]): Conflict | undefined => {
  const at = one.findIndex((segment, index) => toKey(segment) !== toKey(other[index]));
  const [texts, otherTexts] = [toTexts(one[at]), toTexts(other[at])];
  if (!texts || !otherTexts) return undefined;
  const isEqual =
    texts.join("").length === otherTexts.join("").length && texts.length === otherTexts.length;
  if (isEqual) return { kind: "order", at };
  const isPlain = otherTexts.join("") === "";
  const hasSeparatorsOnly = texts.length > 2 && texts[0] === "" && texts.at(-1) === "";
  return isPlain && hasSeparatorsOnly ? { kind: "values", at } : undefined;
};

/** Returns the key by which the route table distinguishes segments. */
const toKey = (segment: Segment | undefined): string => {
  if (!segment) return "";
  if (segment.kind === "rest") return "rest";
  return segment.kind === "literal" ? `literal ${segment.text}` : JSON.stringify(segment.around);
};

interface Loss {
  readonly example: string;
  readonly taker: EndpointEntry;
  readonly loser: EndpointEntry;
}

const uuid = "3f2c8a52-9b1e-4d7a-8c35-1e0f6b7a9d24";
const fillers = ["x", "1", uuid];
/** Parameter values that are typical of real paths; undefined stands for none. */
const specials = [undefined, uuid, "2026-11-20", "2026-11-20T10:30:00Z", "ada@example.com", "1.5"];

/** Finds a path that goes to one route although the input of the other route would definitely accept it. */
const findLoss = (
  one: Route,
  other: Route,
  at: number,
  table: RouteTable<EndpointEntry>,
): Loss | undefined => {
  const { method } = one.entry;
  for (const special of specials)
    for (const filler of fillers) {
      const example = findCommonPath(one.segments, other.segments, filler, { at, special });
      if (example === undefined) continue;
      const taker = table.find(method, example)?.target;
      // a third route may match the path
      if (taker !== one.entry && taker !== other.entry) continue;
      const loser = taker === one.entry ? other.entry : one.entry;
      const alone = new RouteTable<EndpointEntry>();
      alone.add(method, loser.path, loser);
      const parameters = alone.find(method, example)?.params;
      if (parameters && acceptsParameters(loser, parameters)) return { example, taker, loser };
    }
  return undefined;
};

/**
 * Finds static files that a wildcard route hides: an endpoint takes precedence over a file with the same path and
 * method.
 */
const checkFiles = ({ path }: StaticEntry, routes: readonly Route[]): readonly Diagnostic[] => {
  const folders = parsePathPattern(path);
  const taker = routes.find(({ entry, segments }) => {
    const above = segments.slice(0, -1);
    return (
      entry.method === "get" &&
      findRest(segments) &&
      above.length <= folders.length &&
      above.every((segment, at) => {
        const folder = folders[at];
        return folder?.kind === "literal" && takes(segment, folder.text);
      })
    );
  });
  if (!taker) return [];
  const { entry } = taker;
  return [
    {
      code: "SLP_WARN_FILES_SHADOWED",
      text: `${toPlace(entry)} matches every path below ${path}, so the static files there are never served. Give the wildcard its own path.`,
      meta: { method: entry.method, path: entry.path, files: path },
    },
  ];
};
