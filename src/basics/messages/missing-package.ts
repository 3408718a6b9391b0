import { ConfigError } from "../errors.ts";
import { ownFile } from "../lazy/packages.cjs";

/**
 * Returns the error for a package that could not be loaded.
 *
 * @param needing what needs the package, as the subject of a sentence
 */
export const toPackageError = (needing: string, name: string, cause: unknown): ConfigError => {
  const [reason = ""] = (cause as Error).message.split("\n");
  const [, missed] = /^Cannot find (?:module|package) ['"]([^'"]*)['"]/.exec(reason) ?? [];
  return new ConfigError(
    "SLP_CONFIG_PEER",
    `${needing} needs the package ${name}, which ${missed === name ? missing(name) : `cannot be loaded: ${reason}`}.`,
    cause,
  );
};

const missing = (name: string): string =>
  ownFile?.endsWith("packages.cjs")
    ? `is not installed. Run: npm install ${name}`
    : `is neither in this bundle nor installed beside it. Run npm install ${name} where it is bundled, and bundle it again`;
