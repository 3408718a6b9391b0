import { listOperations } from "../api/operation.ts";
import { OperationIds } from "../api/operation-ids.ts";
import type { Security } from "../endpoint/security.ts";
import { listRoutes } from "../routing/walk-routing.ts";
import { defineCommand } from "./command.ts";
import { useEntry, recordBuilds, type Entry } from "./load-entry.ts";
import { writeOut } from "./output.ts";

/** A route as `sallyport routes --json` prints it. */
type RouteLine = ReturnType<typeof listLines>[number];

export const routesCommand = defineCommand({
  description: "Lists the routes of the API.",
  options: { json: { type: "boolean", description: "Print the routes as JSON" } },
  run: ({ json }, given) => {
    const places = recordBuilds();
    return useEntry(given, async (entry) => {
      const lines = listLines(entry, places);
      await writeOut(json ? `${JSON.stringify(lines, undefined, 2)}\n` : toTable(lines));
      return 0;
    });
  },
});

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
      security: security.map(toText),
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

const headings = ["METHOD", "PATH", "SOURCES", "STATUSES", "SECURITY", "TAGS", "MIDDLEWARES", "AT"];

const toTable = (lines: readonly RouteLine[]): string => {
  const rows = lines.map((line) => [
    line.method.toUpperCase(),
    line.path,
    line.sources.join(" "),
    line.statuses.join(" "),
    line.security.join(" and ") || "-",
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
