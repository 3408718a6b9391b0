import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineCommand, type Io } from "../command.ts";
import { ContractError, toUsageError } from "../errors.ts";
import { findEntry, findLoader, loadApi, loadOptions } from "./load-entry.ts";

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
    const restarted = restart([entry, ...(file === undefined ? [] : [file])], io, [
      ...["--format", format],
      ...(file === undefined ? [] : ["--with", file]),
      ...(out === undefined ? [] : ["--out", out]),
      ...Object.entries(numbers).map(([name, value]) => `--${name}=${value}`),
      entry,
    ]);
    if (restarted !== undefined) return restarted;
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

const mark = "SALLYPORT_VERIFY_TSX";

/** Runs the command in a process that can load TypeScript, if this one cannot; returns its exit code. */
const restart = (paths: readonly string[], io: Io, args: readonly string[]): number | undefined => {
  const loader = process.env[mark] === undefined ? findLoader(paths) : undefined;
  if (loader === undefined) return undefined;
  const own = process.argv.slice(1, 2);
  const [program = process.execPath, ...first] = io.sallyport ?? [process.execPath, ...own];
  const { status, error } = spawnSync(program, [...first, "verify", ...args], {
    stdio: "inherit",
    env: {
      ...process.env,
      NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import ${loader}`.trim(),
      [mark]: "1",
    },
  });
  if (error) throw new ContractError(`Node.js could not be started: ${error.message}`);
  return status ?? 1;
};
