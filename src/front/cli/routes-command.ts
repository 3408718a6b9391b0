import { listOperations } from "../../describe/api/operation.ts";
import { OperationIds } from "../../describe/api/operation-ids.ts";
import { listUndecided } from "../../describe/diagnostics/check-access.ts";
import type { Security } from "../../define/endpoint/security.ts";
import { createConsoleLogger } from "../../basics/logger/console-logger.ts";
import { listRoutes } from "../../define/routing/walk-routing.ts";
import { listOwnEntries } from "../server/prepare-api.ts";
import { defineCommand } from "./command.ts";
import { useEntry, recordBuilds, type Entry } from "./load-entry.ts";
import { writeError, writeOut } from "./output.ts";

/** A route as `sallyport routes --json` prints it. */
type RouteLine = ReturnType<typeof listLines>[number];

export const routesCommand = defineCommand({
  description: "Lists the routes of the API.",
  options: {
    json: { type: "boolean", description: "Print the routes as JSON" },
    check: {
      type: "boolean",
      description: "Fail if a route is neither public nor protected; print only those routes",
    },
  },
  run: ({ json, check }, [given]) => {
    const places = recordBuilds();
    return useEntry(given, async (entry) => {
      if (check) return checkRoutes(entry, places);
      const lines = listLines(entry, places);
      await writeOut(json ? `${JSON.stringify(lines, undefined, 2)}\n` : toTable(lines));
      return 0;
    });
  },
});

/** Prints the routes for which nobody has decided who may call them; returns 1 if there are any. */
const checkRoutes = async (
  { routing, config }: Entry,
  places: ReadonlyMap<object, string>,
): Promise<number> => {
  const { endpoints, statics } = listRoutes(routing, config);
  // those of the framework's own routes, which are built next, tell nothing
  const known = new Map(places);
  const own = await listOwnEntries(config, endpoints, createConsoleLogger({ level: "silent" }));
  const undecided = listUndecided([...endpoints, ...own], statics);
  for (const { route, of } of undecided) await writeOut(`${route}  ${known.get(of) ?? "-"}\n`);
  if (undecided.length === 0) return 0;
  const [subject, verb] = undecided.length === 1 ? ["route", "is"] : ["routes", "are"];
  await writeError(
    `${undecided.length} ${subject} ${verb} neither public nor protected. Set \`access: "public"\` on the endpoint, on \`new ServeStatic\`, or in \`docs\` or \`health\`; or set \`security\` on a middleware or on the endpoint.\n`,
  );
  return 1;
};

const listLines = ({ routing, config }: Entry, places: ReadonlyMap<object, string>) => {
  const operations = listOperations(listRoutes(routing, config).endpoints, config);
  const ids = new OperationIds(operations);
  return operations.map((operation) => {
    const { method, path, endpoint, sources, security, successes, errors } = operation;
    const statuses = new Set([...successes, ...errors].map(({ status }) => status));
    return {
      method,
      path,
      sources,
      // the files and lines where the middlewares are built, in the order in which they run
      middlewares: endpoint.middlewares
        .filter(({ option }) => option === undefined)
        .map((one) => places.get(one) ?? "?"),
      access: endpoint.access ?? "undecided",
      security: security.map(toText),
      scopes: endpoint.scopes,
      tags: endpoint.tags,
      statuses: [...statuses].toSorted((one, other) => one - other),
      operationId: ids.find(operation),
      at: places.get(endpoint) ?? null,
    };
  });
};

const toText = (security: Security): string => {
  if ("and" in security) return `(${security.and.map(toText).join(" and ")})`;
  if ("or" in security) return `(${security.or.map(toText).join(" or ")})`;
  return "name" in security ? `${security.type} ${security.name}` : security.type;
};

const toAccessText = ({ access, security, scopes }: RouteLine): string =>
  access === "protected"
    ? [security.join(" and "), ...scopes.map((scope) => `[${scope}]`)].join(" ")
    : access;

const headings = ["METHOD", "PATH", "SOURCES", "STATUSES", "ACCESS", "TAGS", "MIDDLEWARES", "AT"];

const toTable = (lines: readonly RouteLine[]): string => {
  const rows = lines.map((line) => [
    line.method.toUpperCase(),
    line.path,
    line.sources.join(" "),
    line.statuses.join(" "),
    toAccessText(line),
    line.tags.join(" ") || "-",
    line.middlewares.join(" ") || "-",
    line.at ?? "-",
  ]);
  const all = [headings, ...rows];
  const widths = headings.map((_heading, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
};
