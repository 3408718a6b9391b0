import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaults } from "../../basics/defaults.ts";
import { ConfigError } from "../../basics/errors.ts";
import { ownFile } from "../../basics/lazy/packages.cjs";
import type { DocsOptions } from "./docs-options.ts";
import { swaggerScript, swaggerStyles } from "./swagger-look.ts";

export interface UserInterface {
  /** Functions that read the files of the page, by name; the last one starts it with `data-document` of the body. */
  readonly files: ReadonlyMap<string, () => Buffer | string>;
  /** The style sources that the page's Content-Security-Policy allows. */
  readonly styles: string;
}

/**
 * The script that starts Scalar, without fonts from other hosts, telemetry, a proxy, or anything that needs an account.
 */
const scalarScript = `
Scalar.createApiReference("#docs", {
  url: document.body.dataset.document,
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
});
`;

/** @throws {@link ConfigError} when the package is not installed. */
export const findUserInterface = (name: DocsOptions["ui"] = defaults.docs.ui): UserInterface => {
  if (name === "swagger") {
    const folder = dirname(findPackageFile("swagger-ui-dist", "swagger-ui-dist/package.json"));
    const read = (file: string) => (): Buffer => readFileSync(join(folder, file));
    return {
      files: new Map<string, () => Buffer | string>([
        ["swagger-ui.css", read("swagger-ui.css")],
        ["look.css", () => swaggerStyles],
        ["swagger-ui-bundle.js", read("swagger-ui-bundle.js")],
        ["init.js", () => swaggerScript],
      ]),
      styles: "'self'",
    };
  }
  const entry = findPackageFile("@scalar/api-reference", "@scalar/api-reference");
  const folder = entry.slice(0, entry.lastIndexOf(`api-reference`) + "api-reference".length);
  return {
    files: new Map<string, () => Buffer | string>([
      ["scalar.js", () => readFileSync(join(folder, "dist/browser/standalone.js"))],
      ["init.js", () => scalarScript],
    ]),
    // the components of Scalar add their styles as `<style>` elements
    styles: "'self' 'unsafe-inline'",
  };
};

/** Finds a file of a package, first next to this package, then from the working directory. */
const findPackageFile = (name: string, target: string): string => {
  // an import would have the name that the usual banner of a bundle declares
  const { createRequire } = process.getBuiltinModule("node:module");
  for (const from of [ownFile ?? [], join(process.cwd(), "package.json")].flat()) {
    try {
      return createRequire(from).resolve(target);
    } catch {
      // the package may be in the next place
    }
  }
  const other = name === "swagger-ui-dist" ? "" : ', or set `docs: { ui: "swagger" }`';
  // a package that is in `devDependencies` would stay there
  const [option, place] =
    process.env["NODE_ENV"] === "production"
      ? [" --save-prod", ", so that it is in `dependencies` and not in `devDependencies`"]
      : ["", ""];
  throw new ConfigError(
    "SLP_CONFIG_PEER",
    `The \`docs\` option needs the files of the package ${name}, which is not installed where the server runs. Run: npm install${option} ${name}${place}${other}.`,
  );
};
