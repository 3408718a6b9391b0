import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { translateHost, type Host } from "./hosts.ts";
import { translate, type PackageManager } from "./package-managers.ts";
import type { ProjectName } from "./project-name.ts";
import type { Template } from "./templates.ts";
import { UsageError } from "./usage-error.ts";

interface Manifest {
  readonly [field: string]: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const home = new URL("../", import.meta.url);

const readManifest = (path: string): Manifest =>
  JSON.parse(readFileSync(new URL(path, home), "utf8")) as Manifest;

/** The version of this package, which is that of sallyport, too. */
export const version = String(readManifest("package.json")["version"]);

/** The name that the templates give to the project. */
const placeholder = "my-api";

/** What systems, editors and hosts of repositories put into a folder before there is a project in it. */
const harmless =
  /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\.directory|\.git|\.gitattributes|\.gitignore|\.gitkeep|\.hg|\.hgignore|\.idea|\.vscode|.+\.iml|LICEN[CS]E(?:\.\w+)?)$/i;

/** @throws {UsageError} when the folder is a file, or contains more than what is there before a project. */
export const checkFolder = (path: string, given: string): void => {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry) return;
  if (!entry.isDirectory()) throw new UsageError(`${given} is a file. Give another name.`, 1);
  const found = readdirSync(path).filter((name) => !harmless.test(name));
  if (found.length > 0)
    throw new UsageError(
      `The folder ${given} is not empty: it contains ${found.slice(0, 3).join(", ")}. Give another name, or move its content away.`,
      1,
    );
};

/** Writes the files of a project. */
export const writeProject = (
  path: string,
  { name }: ProjectName,
  template: Template,
  manager: PackageManager,
  host: Host,
): void => {
  const files = new Map([...readTemplate("shared"), ...readTemplate(template)]);
  const manifest = files.get("package.json") ?? "";
  files.set("package.json", fillManifest(JSON.parse(manifest) as Manifest));
  const ignored = join(path, ".gitignore");
  files.set(".gitignore", toMissing(files.get(".gitignore") ?? "", ignored));
  for (const [file, text] of files)
    write(
      join(path, file),
      translateHost(translate(text, manager), host).replaceAll(placeholder, name),
    );
  for (const [file, text] of Object.entries(manager.files)) write(join(path, file), text);
};

/** Adds to a file, so that nothing is ever overwritten. */
const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: "a" });
};

/** Returns the lines that a file, if there is one, does not have yet. */
const toMissing = (text: string, path: string): string => {
  if (!existsSync(path)) return text;
  const known = readFileSync(path, "utf8");
  const lines = new Set(known.split(/\r?\n/));
  const missing = text.split("\n").filter((line) => line !== "" && !lines.has(line));
  return [
    known === "" || known.endsWith("\n") ? "" : "\n",
    ...missing.map((line) => `${line}\n`),
  ].join("");
};

const readTemplate = (template: Template | "shared"): ReadonlyMap<string, string> => {
  const folder = fileURLToPath(new URL(`templates/${template}/`, home));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        // npm leaves out files that are called .gitignore
        const file = path.slice(folder.length).replace(/^_gitignore$/, ".gitignore");
        return [file, readFileSync(path, "utf8")];
      }),
  );
};

/** Fills in the versions, which one file has for all templates. */
const fillManifest = ({ dependencies, devDependencies, ...rest }: Manifest): string => {
  const known = {
    ...readManifest("templates/package.json").devDependencies,
    sallyport: `^${version}`,
  };
  const fill = (wanted: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      Object.keys(wanted).map((name) => {
        const range = Object.entries(known).find(([other]) => other === name)?.[1];
        if (range === undefined)
          throw new Error(`templates/package.json has no version of ${name}`);
        return [name, range];
      }),
    );
  const filled = {
    ...rest,
    dependencies: fill(dependencies),
    devDependencies: fill(devDependencies),
  };
  return `${JSON.stringify({ name: placeholder, version: "0.0.0", ...filled }, undefined, 2)}\n`;
};
