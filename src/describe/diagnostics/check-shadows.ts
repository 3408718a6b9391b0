import type { Operation } from "../api/operation.ts";
import { matchParameters, type Segment } from "../../define/routing/path-pattern.ts";
import { RouteTable, toRank } from "../../define/routing/route-table.ts";
import type { StaticEntry } from "../../define/routing/walk-routing.ts";
import { report, type Diagnostic } from "./diagnostic.ts";

/** Finds routes that only their order tells apart, and files that a wildcard route hides. */
export const checkShadows = (
  operations: readonly Operation[],
  files: readonly StaticEntry[],
): readonly Diagnostic[] => [
  ...checkRoutes(operations.filter(({ segments }) => segments.some(hasText))),
  ...checkFiles(files, operations),
];

const checkRoutes = (operations: readonly Operation[]): readonly Diagnostic[] =>
  report(operations, (loser) =>
    operations.slice(0, operations.indexOf(loser)).flatMap((taker) => {
      const { segments } = loser;
      if (taker.method !== loser.method || taker.segments.length !== segments.length) return [];
      const pairs = taker.segments.map((one, at) => [one, segments[at] ?? one] as const);
      const example = areEqual(pairs) && findCommonPath(pairs);
      if (!example) return [];
      const text = `${taker.route} and ${loser.route} both match paths such as ${example}, and only their order decides which one is used. Add literal text to one of the paths.`;
      const meta = { takenBy: taker.path, example };
      return { at: `${taker.path} ${loser.path}`, code: "SLP_WARN_ROUTE_ORDER", text, meta };
    }),
  );

const hasText = (segment: Segment): boolean =>
  segment.kind === "parameters" && segment.around.join("") !== "";

type Pairs = readonly (readonly [Segment, Segment])[];

/** Checks whether the route table ranks two routes equally at the first segment in which they differ. */
const areEqual = (pairs: Pairs): boolean => {
  const toText = (segment: Segment): string => JSON.stringify([segment.kind, segment.around]);
  const different = pairs.find(([one, two]) => toText(one) !== toText(two));
  return different !== undefined && toRank(different[0]) === toRank(different[1]);
};

const fits = (segment: Segment, text: string): boolean =>
  segment.kind === "literal"
    ? segment.around.join("") === text
    : matchParameters(segment.around, text) !== undefined;

const findCommonPath = (pairs: Pairs): string | undefined => {
  const parts = pairs.map(([one, two]) => {
    const part = combine(one.around, two.around);
    return fits(one, part) && fits(two, part) ? part : undefined;
  });
  const isCommon = parts.every((part) => part !== undefined);
  return isCommon ? `/${parts.map(encodeURIComponent).join("/")}` : undefined;
};

/** Returns a text that fits two segments if there is any: the longer start, all in between, and the longer end. */
const combine = (one: readonly string[], other: readonly string[]): string => {
  const literal = [one, other].find(({ length }) => length === 1);
  if (literal) return literal.join("");
  const longer = (text = "", otherText = ""): string =>
    text.length < otherText.length ? otherText : text;
  const between = [...one.slice(1, -1), ...other.slice(1, -1)];
  return [longer(one[0], other[0]), ...between, longer(one.at(-1), other.at(-1))].join("x");
};

/** Endpoints take precedence over files. */
const checkFiles = (
  files: readonly StaticEntry[],
  operations: readonly Operation[],
): readonly Diagnostic[] => {
  const table = new RouteTable<Operation>();
  for (const operation of operations)
    if (operation.isRetrieval && operation.segments.at(-1)?.kind === "rest")
      table.add(operation.method, operation.path, operation);
  return files.flatMap(({ path }) => {
    // only a parameter or a wildcard matches this character
    const taker = table.find("get", `${path === "/" ? "" : path}/\0`)?.target;
    return report(taker ? [taker] : [], ({ route }) => {
      const text = `${route} matches every path below ${path}, so the static files there are never served. Give the wildcard its own path.`;
      return [{ at: path, code: "SLP_WARN_FILES_SHADOWED", text, meta: { files: path } }];
    });
  });
};
