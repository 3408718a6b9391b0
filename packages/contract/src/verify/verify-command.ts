import { writeFileSync } from "node:fs";
import { defineCommand, type Io } from "../command.ts";
import { ContractError } from "../errors.ts";
import type { VerifyOptions } from "./options.ts";

const formats = ["text", "json", "junit"] as const;

export const verifyCommand = defineCommand({
  description: "Calls each operation, and checks that it keeps to the OpenAPI document.",
  usage: ["[OPTIONS] [ENTRY]", "[OPTIONS] --document=<file> --url=<url>"],
  options: {
    with: {
      type: "string",
      hint: "file",
      description: "The module whose default export has the options, such as login and fixtures",
    },
    operation: {
      type: "string",
      hint: "operation",
      description: 'The only operation to verify, such as "POST /orders"; defaults to all',
    },
    document: {
      type: "string",
      hint: "file",
      description: "The OpenAPI document of a server that runs at --url, in place of an entry",
    },
    url: { type: "string", hint: "url", description: "Where the server of --document is" },
    "allow-host": {
      type: "string",
      hint: "name",
      description: "The host of --url, if it is not this machine",
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
  run: async (values, [entry, ...others], io) => {
    const { with: given, operation, document, url, seed, runs, format = "text", out } = values;
    if (!formats.some((one) => one === format))
      throw new ContractError(`--format must be one of ${formats.join(", ")}; got ${format}.`);
    if (others.length > 0)
      throw new ContractError(
        `\`sallyport verify\` takes one entry; got ${[entry, ...others].join(" ")}.`,
      );
    const allowHost = values["allow-host"];
    if ((document === undefined) !== (url === undefined))
      throw new ContractError(
        "--document and --url belong together, as in `--document openapi.yaml --url http://127.0.0.1:3000`.",
      );
    if (document !== undefined && entry !== undefined)
      throw new ContractError(`--document stands in place of an entry; got ${entry}.`);
    if (document === undefined && allowHost !== undefined)
      throw new ContractError("--allow-host is for --url.");
    const own = {
      ...(document !== undefined && { document, url }),
      ...(allowHost !== undefined && { allowHost }),
      ...readNumber("seed", seed),
      ...readNumber("runs", runs),
      ...(operation !== undefined && { operations: [operation] }),
    };
    const { useEntry, load } = io;
    const run = async (api: object): Promise<number> => {
      // these load sallyport, which `lock` does without
      const { verify } = await import("./verify.ts");
      const { toVerifyJUnit } = await import("./report.ts");
      const options = given === undefined ? {} : await loadOptions(given, load);
      const result = await verify({ ...api, ...options, ...own } as VerifyOptions);
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
    };
    if (document !== undefined) return run({});
    if (!useEntry) throw toMissing("the API");
    return useEntry(entry, run);
  },
});

const toMissing = (what: string): ContractError =>
  new ContractError(`verify loads ${what}, which only \`sallyport verify\` can do. Run that.`);

/** @throws {@link ContractError} when the module has no default export. */
const loadOptions = async (path: string, load: Io["load"]): Promise<Partial<VerifyOptions>> => {
  if (!load) throw toMissing("--with");
  const { default: options } = (await load(path)) as { readonly default?: unknown };
  if (typeof options === "object" && options !== null) return options;
  throw new ContractError(
    `${path} has no default export. Export the options, as in \`export default { login, fixtures }\`.`,
  );
};

const readNumber = (name: string, text: string | undefined): Readonly<Record<string, number>> => {
  if (text === undefined) return {};
  if (!/^\d{1,10}$/.test(text))
    throw new ContractError(`--${name} must be an integer; got ${text}.`);
  return { [name]: Number(text) };
};
