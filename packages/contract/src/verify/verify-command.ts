import { writeFileSync } from "node:fs";
import { defineCommand, type Io } from "../command.ts";
import { ContractError, toUsageError } from "../errors.ts";
import type { VerifyOptions } from "./options.ts";

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
  run: async ({ with: given, seed, runs, format = "text", out }, [entry, ...others], io) => {
    if (!formats.some((one) => one === format))
      throw toUsageError(`--format must be one of ${formats.join(", ")}; got ${format}.`);
    if (others.length > 0)
      throw toUsageError(
        `\`sallyport verify\` takes one entry; got ${[entry, ...others].join(" ")}.`,
      );
    const numbers = { ...readNumber("seed", seed), ...readNumber("runs", runs) };
    const { useEntry, load } = io;
    if (!useEntry || !load)
      throw new ContractError(
        "verify loads the API, which only `sallyport verify` can do. Run that.",
      );
    return useEntry(entry, async (api) => {
      // these load sallyport, which `lock` does without
      const { verify } = await import("./verify.ts");
      const { toVerifyJUnit } = await import("./report.ts");
      const options = given === undefined ? {} : await loadOptions(given, load);
      const result = await verify({ ...(api as VerifyOptions), ...options, ...numbers });
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
    });
  },
});

/** @throws {@link ContractError} when the module has no default export. */
const loadOptions = async (
  path: string,
  load: NonNullable<Io["load"]>,
): Promise<Partial<VerifyOptions>> => {
  const { default: options } = (await load(path)) as { readonly default?: unknown };
  if (typeof options === "object" && options !== null) return options;
  throw new ContractError(
    `${path} has no default export. Export the options, as in \`export default { login, fixtures }\`.`,
  );
};

const readNumber = (name: string, text: string | undefined): Readonly<Record<string, number>> => {
  if (text === undefined) return {};
  if (!/^\d{1,10}$/.test(text)) throw toUsageError(`--${name} must be an integer; got ${text}.`);
  return { [name]: Number(text) };
};
