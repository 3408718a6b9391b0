import { listOperations } from "../api/operation.ts";
import type { Security } from "../endpoint/security.ts";
import { getMessageFromError } from "../reply/http-error.ts";
import { listRoutes } from "../routing/walk-routing.ts";
import { toTemplate } from "../openapi/path-templates.ts";
import { watchBuilds } from "./build-places.ts";
import { defineCommand } from "./command.ts";
import { useEntry, type Entry } from "./load-entry.ts";
import { toDocument } from "./generating-commands.ts";
import { writeError, writeOut } from "./output.ts";

/** A route as `sallyport routes --json` prints it. */
type RouteLine = Awaited<ReturnType<typeof listLines>>[number];

/** `sallyport routes`: lists the endpoints. */
export const routesCommand = defineCommand({
  description: "Lists the routes of the API.",
  options: { json: { type: "boolean", description: "Print the routes as JSON" } },
  run: ({ json }, given) => {
    const places = watchBuilds();
    return useEntry(given, async (entry) => {
      const lines = await listLines(entry, places);
      await writeOut(json ? `${JSON.stringify(lines, undefined, 2)}\n` : toTable(lines));
      return 0;
    });
  },
});

const listLines = async (entry: Entry, places: ReadonlyMap<object, string>) => {
  const { routing, config } = entry;
  const operations = listOperations(listRoutes(routing, config), config);
  const find = await findDocumented(entry);
  return operations.map(({ method, path, endpoint, sources, security }) => {
    const documented = find?.(method, toTemplate(path));
    return {
      method,
      path,
      sources,
      // the files and lines where the middlewares are built, in the order in which they run
      middlewares: endpoint.middlewares.map((one) => places.get(one) ?? "?"),
      security: security.map(toText),
      tags: endpoint.tags,
      statuses: Object.keys(documented?.responses ?? {}).map(Number),
      operationId: documented?.operationId ?? null,
      at: places.get(endpoint) ?? null,
    };
  });
};

const findDocumented = async (entry: Entry) => {
  try {
    const { paths } = toDocument(entry, undefined);
    return (method: string, path: string) =>
      paths[path]?.[method] as
        | { readonly operationId: string; readonly responses: object }
        | undefined;
  } catch (error) {
    await writeError(`sallyport: cannot list the statuses: ${getMessageFromError(error)}\n`);
    return undefined;
  }
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
