import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Io } from "./command.ts";
import { ContractError } from "./errors.ts";

/** What tells `sallyport openapi` which document to write. */
export interface ApiSource {
  /** The module that exports `routing` and `config`. */
  readonly entry?: string | undefined;
  /** The path of one of several documents. */
  readonly docs?: string | undefined;
}

/**
 * Returns the OpenAPI document of the application here, which `sallyport openapi` writes in a process of its own.
 *
 * @throws {@link ContractError} when that fails; the process has printed why.
 */
export const readApiDocument = ({ entry, docs }: ApiSource, { sallyport }: Io): unknown => {
  const [program, ...args] = sallyport ?? findSallyport();
  const { status, stdout, error } = spawnSync(
    program ?? process.execPath,
    [
      ...[...args, "openapi", "--format", "json"],
      ...(entry === undefined ? [] : [entry]),
      ...(docs === undefined ? [] : ["--docs", docs]),
    ],
    { encoding: "utf8", maxBuffer: Infinity, stdio: ["ignore", "pipe", "inherit"] },
  );
  if (error || status !== 0)
    throw new ContractError(
      error
        ? `\`sallyport openapi\` could not be run: ${error.message}`
        : "There is no document of the API, because `sallyport openapi` failed. Pass --head with a file to compare another document.",
    );
  return JSON.parse(stdout);
};

/** @throws {@link ContractError} when `sallyport` is not installed. */
const findSallyport = (): readonly string[] => {
  try {
    const file = createRequire(join(process.cwd(), "package.json")).resolve(
      "sallyport/package.json",
    );
    return [process.execPath, join(dirname(file), "dist/cli/main.js")];
  } catch {
    throw new ContractError("sallyport is not installed here. Run: npm install sallyport");
  }
};
