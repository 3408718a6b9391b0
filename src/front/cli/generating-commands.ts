import { defaults } from "../../basics/defaults.ts";
import { listOperations } from "../../describe/api/operation.ts";
import { toDocumentOptions, type DocsOptions } from "../../describe/docs-page/docs-options.ts";
import { generateClient } from "../../describe/generate-client/generate-client.ts";
import { generateOpenApi } from "../../describe/openapi/generate-openapi.ts";
import type { OpenApiDocument, OpenApiVersion } from "../../describe/openapi/options.ts";
import { listRoutes } from "../../define/routing/walk-routing.ts";
import { toYaml } from "../../describe/openapi/to-yaml.ts";
import { defineCommand, toUsageError } from "./command.ts";
import { useEntry, type Entry } from "./load-entry.ts";
import { checkFile, writeOut } from "./output.ts";
import { markJson, writeGenerated, yamlMark } from "./write-generated.ts";

const checkOption = {
  type: "boolean",
  description: "Fail if the file in --out is out of date, and show where",
} as const;

const forceOption = {
  type: "boolean",
  description: "Overwrite the file in --out even if it was not generated",
} as const;

export const clientCommand = defineCommand({
  description: "Writes a typed client of the API: one TypeScript file.",
  options: {
    out: { type: "string", hint: "file", description: "The file to write" },
    types: {
      type: "boolean",
      description: "Write a .d.ts file with the types of the inferred client instead",
    },
    check: checkOption,
    force: forceOption,
  },
  run: async ({ out, types = false, check, force = false }, [given]) => {
    if (out === undefined)
      throw toUsageError("--out is missing. Pass the file to write, such as client.ts.");
    return useEntry(given, async ({ routing, config }) => {
      const text = generateClient({ routing, config, types });
      if (check) return checkFile(out, text);
      const { length } = listOperations(listRoutes(routing, config).endpoints, config);
      return writeGenerated(out, text, countRoutes(length), force);
    });
  },
});

const countRoutes = (count: number): string => `${count} ${count === 1 ? "route" : "routes"}`;

const versions: readonly string[] = ["3.0", "3.1", "3.2"];

export const openApiCommand = defineCommand({
  description: "Writes the OpenAPI document of the API.",
  options: {
    out: {
      type: "string",
      hint: "file",
      description: "The file to write; by default, the document is printed",
    },
    format: {
      type: "string",
      hint: "json|yaml",
      description: "json or yaml; defaults to the extension of --out, or to json",
    },
    openapi: {
      type: "string",
      hint: versions.join("|"),
      description: "The OpenAPI version; defaults to that of `config.docs`, or to 3.1",
    },
    docs: {
      type: "string",
      hint: "path",
      description: "The document to write if `config.docs` lists several, by its path",
    },
    check: checkOption,
    force: forceOption,
  },
  run: async ({ out, format = toFormat(out), openapi, docs, check, force = false }, [given]) => {
    if (format !== "json" && format !== "yaml")
      throw toUsageError(`--format must be json or yaml; got ${format}.`);
    if (openapi !== undefined && !versions.includes(openapi))
      throw toUsageError(`--openapi must be one of ${versions.join(", ")}; got ${openapi}.`);
    if (check && out === undefined) throw toUsageError("--check needs --out, the file to check.");
    return useEntry(given, async (entry) => {
      const document = toDocument(entry, docs, openapi as OpenApiVersion | undefined);
      const text =
        format === "json"
          ? `${JSON.stringify(markJson(document), undefined, 2)}\n`
          : `${yamlMark}${toYaml(document)}`;
      if (out !== undefined && check) return checkFile(out, text);
      if (out !== undefined) {
        const methods = Object.values(document.paths).flatMap((path) => Object.keys(path));
        const { length } = methods.filter((method) => method !== "head");
        return writeGenerated(out, text, countRoutes(length), force);
      }
      await writeOut(text);
      return 0;
    });
  },
});

const toDocument = (
  { routing, config }: Entry,
  path: string | undefined,
  version?: OpenApiVersion,
): OpenApiDocument => {
  const options = toDocumentOptions(findDocs(config, path));
  return generateOpenApi({ routing, config, ...options, openapi: version ?? options.openapi });
};

/** Returns what `sallyport openapi --docs` prints, as JSON has it. */
export const readDocument = (given: string | undefined, docs?: string): Promise<unknown> =>
  useEntry(given, async (entry) => JSON.parse(JSON.stringify(toDocument(entry, docs))) as unknown);

const toFormat = (out: string | undefined): string =>
  /\.ya?ml$/i.test(out ?? "") ? "yaml" : "json";

/** Finds the options of one of the documents that `config.docs` serves, by its path if there are several. */
const findDocs = ({ docs }: Entry["config"], path: string | undefined): DocsOptions => {
  const all = [docs].flat().flatMap((one) => (typeof one === "object" ? one : []));
  if (path === undefined && all.length < 2) return all[0] ?? {};
  const found = all.find((one) => toDocsPath(one) === path);
  if (found) return found;
  const known = all.map(toDocsPath).join(", ");
  throw toUsageError(
    path === undefined
      ? `--docs is missing. Pass the path of one of the documents in \`config.docs\`: ${known}.`
      : `--docs must be the path of a document in \`config.docs\`${known && `, ${known}`}; got ${path}.`,
  );
};

const toDocsPath = ({ path = defaults.docs.path }: DocsOptions): string => path;
