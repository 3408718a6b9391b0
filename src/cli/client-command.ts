import { defineCommand } from "citty";
import { generateClient } from "../generate-client/generate-client.ts";
import { CliError } from "./cli-error.ts";
import { entryArgument, findEntry, loadEntry, runWithTypeScript } from "./load-entry.ts";
import { checkFile, writeFile } from "./output-file.ts";

/** `sallyport client`: writes a typed client, or checks that a file is up to date. */
export const clientCommand = defineCommand({
  meta: { name: "client", description: "Writes a typed client of the API: one TypeScript file." },
  args: {
    entry: entryArgument,
    out: { type: "string", valueHint: "file", description: "The file to write" },
    format: {
      type: "string",
      valueHint: "string|date",
      description: "The type of dates in responses: string (default) or date",
    },
    types: {
      type: "boolean",
      description: "Write a .d.ts file with the types of the inferred client instead",
    },
    check: {
      type: "boolean",
      description: "Fail if the file in --out is out of date, and show the difference",
    },
  },
  run: async ({ args }): Promise<number> => {
    const { out, format = "string", types = false, check = false } = args;
    if (format !== "string" && format !== "date")
      throw new CliError("SLP_CLI_USAGE", `--format must be string or date; got ${format}.`);
    if (out === undefined)
      throw new CliError(
        "SLP_CLI_USAGE",
        "--out is missing. Pass the file to write, such as client.ts.",
      );
    if (types && format === "date")
      throw new CliError(
        "SLP_CLI_USAGE",
        "--types does not support --format date: the inferred client does not know which strings are dates.",
      );
    const path = findEntry(args.entry);
    const status = runWithTypeScript(path);
    if (status !== undefined) return status;
    const { routing, config } = await loadEntry(path);
    const text = generateClient({ routing, config, format, types });
    if (check) return checkFile(out, text);
    writeFile(out, text);
    return 0;
  },
});
