import { defineCommand } from "citty";
import { readInfo, toYaml } from "../docs/document-texts.ts";
import { generateOpenApi } from "../openapi/generate-openapi.ts";
import type { OpenApiDocument, OpenApiVersion } from "../openapi/options.ts";
import { CliError } from "./cli-error.ts";
import {
  entryArgument,
  findEntry,
  loadEntry,
  runWithTypeScript,
  type Entry,
} from "./load-entry.ts";
import { checkFile, writeFile } from "./output-file.ts";
import { writeOut } from "./output.ts";

const versions: readonly string[] = ["3.0", "3.1", "3.2"];

/** `sallyport openapi`: writes the OpenAPI document, or checks that a file is up to date. */
export const openApiCommand = defineCommand({
  meta: { name: "openapi", description: "Writes the OpenAPI document of the API." },
  args: {
    entry: entryArgument,
    out: {
      type: "string",
      valueHint: "file",
      description: "The file to write; by default, the document is printed",
    },
    format: {
      type: "string",
      valueHint: "json|yaml",
      description: "json or yaml; defaults to the extension of --out, or to json",
    },
    openapi: {
      type: "string",
      valueHint: versions.join("|"),
      description: "The OpenAPI version; defaults to that of `config.docs`, or to 3.1",
    },
    check: {
      type: "boolean",
      description: "Fail if the file in --out is out of date, and show the difference",
    },
  },
  run: async ({ args }): Promise<number> => {
    const { out, format = toFormat(out), openapi, check = false } = args;
    if (format !== "json" && format !== "yaml")
      throw wrong(`--format must be json or yaml; got ${format}.`);
    if (openapi !== undefined && !versions.includes(openapi))
      throw wrong(`--openapi must be one of ${versions.join(", ")}; got ${openapi}.`);
    if (check && out === undefined) throw wrong("--check needs --out, the file to check.");
    const path = findEntry(args.entry);
    const status = runWithTypeScript(path);
    if (status !== undefined) return status;
    const document = toDocument(await loadEntry(path), openapi as OpenApiVersion | undefined);
    const text =
      format === "json" ? `${JSON.stringify(document, undefined, 2)}\n` : toYaml(document);
    if (out === undefined) await writeOut(text);
    else if (check) return checkFile(out, text);
    else writeFile(out, text);
    return 0;
  },
});

const wrong = (text: string): CliError => new CliError("SLP_CLI_USAGE", text);

const toFormat = (out: string | undefined): string =>
  /\.ya?ml$/i.test(out ?? "") ? "yaml" : "json";

/** Generates the document as `config.docs` would serve it. */
export const toDocument = (
  { routing, config }: Entry,
  version: OpenApiVersion | undefined,
): OpenApiDocument => {
  const { servers, openapi, tags, webhooks, head, override, info } =
    typeof config.docs === "object" ? config.docs : {};
  return generateOpenApi({
    ...{ routing, config, servers, tags, webhooks, head, override },
    openapi: version ?? openapi,
    info: info ?? readInfo(),
  });
};
