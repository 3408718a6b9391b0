import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { ContractError, toUsageError } from "../errors.ts";
import { enableTypeScript, findEntry, loadApi, loadOptions } from "./load-entry.ts";

const formats = ["text", "json", "junit"] as const;

export const verifyCommand = defineCommand({
  description: "Calls each operation, and checks that it keeps to the OpenAPI document.",
  usage: ["[OPTIONS] [ENTRY]"],
  options: {
    with: {
      type: "string",
      hint: "file",
      description: "The module whose default export has the options, such as login and fixtures",
    },
    seed: { type: "string", hint: "number", description: "What generated calls follow from" },
    runs: {
      type: "string",
      hint: "number",
      description: "The number of generated calls per operation; defaults to 20",
    },
    format: {
      type: "string",
      hint: formats.join("|"),
      description: "How the report is written; defaults to text",
    },
    out: { type: "string", hint: "file", description: "Where the report is written" },
  },
  run: async ({ with: given, seed, runs, format = "text", out }, positionals, io) => {
    if (!formats.some((one) => one === format))
      throw toUsageError(`--format must be one of ${formats.join(", ")}; got ${format}.`);
    const [wanted, ...others] = positionals;
    if (others.length > 0)
      throw toUsageError(`\`sallyport verify\` takes one entry; got ${positionals.join(" ")}.`);
    const numbers = { ...readNumber("seed", seed), ...readNumber("runs", runs) };
    const entry = findEntry(wanted);
    const file = given === undefined ? undefined : resolve(given);
    if (file !== undefined && !existsSync(file))
      throw new ContractError(`There is no file ${given}. Pass the module with the options.`);
    await enableTypeScript([entry, ...(file === undefined ? [] : [file])]);
    // these load sallyport, which `lock` does without
    const { verify } = await import("./verify.ts");
    const { toVerifyJUnit } = await import("./report.ts");
    const options = file === undefined ? {} : await loadOptions(file);
    const result = await verify({ ...(await loadApi(entry)), ...options, ...numbers });
    const { text, ...rest } = result;
    const report =
      format === "text"
        ? text
        : format === "json"
          ? `${JSON.stringify(rest, null, 2)}\n`
          : toVerifyJUnit(result);
    if (out === undefined) io.out(report);
    else writeFileSync(out, report);
    return result.ok ? 0 : 1;
  },
});

const readNumber = (name: string, text: string | undefined): Readonly<Record<string, number>> => {
  if (text === undefined) return {};
  if (!/^\d{1,10}$/.test(text)) throw toUsageError(`--${name} must be an integer; got ${text}.`);
  return { [name]: Number(text) };
};
