import { join, relative } from "node:path";
import { mark } from "../openapi/code.ts";
import { writeFiles } from "../openapi/write-files.ts";
import { loadContracts } from "./load-contracts.ts";
import { toEndpoints } from "./to-endpoints.ts";

/** Where endpoints are written. */
export interface EndpointOptions {
  /** Whether files that exist are replaced. */
  readonly isForced: boolean;
  /** The directory that the report counts from. */
  readonly directory: string;
}

/**
 * Writes endpoints for all routes of the contracts that a module exports.
 *
 * @throws {@link UsageError} when the module cannot be loaded or has no contract, or a file exists.
 */
export const writeEndpoints = async (
  file: string,
  out: string,
  { isForced, directory }: EndpointOptions,
): Promise<{ readonly text: string; readonly isComplete: boolean }> => {
  const path = relative(out, file)
    .replaceAll("\\", "/")
    .replace(/\.([cm]?)[jt]sx?$/, ".$1js");
  const module = path.startsWith(".") ? path : `./${path}`;
  const { files, count, skipped } = await toEndpoints(await loadContracts(file), module);
  writeFiles(out, files, isForced);
  const marks = [...files].flatMap(([name, text]) =>
    text.split("\n").flatMap((line, at) => {
      const [, words] = line.trim().split(`// ${mark}`);
      return words === undefined || name === "factory.ts"
        ? []
        : [`  ${relative(directory, join(out, name))}:${at + 1}${words}\n`];
    }),
  );
  const text = [
    `Written to ${relative(directory, out) || "."}: ${[...files.keys()].join(", ")}\n`,
    `Marked for you (${marks.length})\n${marks.join("") || "  none\n"}`,
    "Needed: npm install sallyport zod express http-errors\n",
    `${count} routes, ${skipped.length} of them not served\n`,
  ].join("\n");
  return { text, isComplete: skipped.length === 0 };
};
