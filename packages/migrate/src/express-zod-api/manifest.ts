import { gt, intersects, minVersion, subset, validRange } from "semver";

/** The parts of a package.json that the migration reads and changes. */
export interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  [name: string]: unknown;
}

const sections = ["dependencies", "devDependencies", "peerDependencies"] as const;

/** The packages that nothing needs any more. */
const removed = [
  "express-zod-api",
  "@express-zod-api/zod-plugin",
  "@express-zod-api/migration",
  "express-fileupload",
  "@types/express-fileupload",
  "node-mocks-http",
];

/** What an application needs, in place of express-zod-api and beside it. */
const needed = { sallyport: "^0.1.0", zod: "^4.5.0", express: "^5.1.0" } as const;

/** The ranges that sallyport accepts of packages which an application may have; npm refuses any others. */
export const peers: Readonly<Record<string, string>> = {
  ...needed,
  "@opentelemetry/api": "^1.9.0",
  "@opentelemetry/api-logs": ">=0.200.0 <1",
  "@opentelemetry/core": "^2.0.0",
  "@scalar/api-reference": "^1.46.0",
  "@tanstack/query-core": "^5.62.0",
  "@types/express": "^5.0.6",
  compression: "^1.8.2",
  "express-rate-limit": "^8.3.0",
  "file-type": "^21.3.0 || ^22.0.0",
  "swagger-ui-dist": "^5.31.0",
  tsx: "^4.19.0",
};

export const rangeOf = (manifest: Manifest, name: string): string | undefined =>
  sections.map((section) => manifest[section]?.[name]).find((range) => range !== undefined);

/** Returns the lowest major version of a range such as `^25.1.0`. */
const majorOf = (range: string | undefined): number | undefined =>
  range !== undefined && validRange(range) ? minVersion(range)?.major : undefined;

/** Reads the major version of express-zod-api, and whether schemas are those of Zod 3. */
export const readFacts = (manifests: Iterable<Manifest>) => {
  const all = [...manifests];
  const find = (name: string) =>
    all.map((one) => majorOf(rangeOf(one, name))).find((one) => one !== undefined);
  const major = find("express-zod-api");
  // 24 is the first version whose schemas are those of Zod 4, which may still be installed as 3.25
  const isZod3 = major === undefined ? (find("zod") ?? 4) < 4 : major < 24;
  return { major, isZod3 };
};

/** Returns what is to be done about a range: nothing, to raise it, or that a person must look at it. */
const compare = (
  known: string,
  range: string,
  isEnough: typeof subset,
): "enough" | "raise" | "unknown" | "newer" => {
  if (known === "latest") return "enough";
  if (validRange(known) === null) return "unknown";
  if (isEnough(known, range)) return "enough";
  const [lowest, needs] = [minVersion(known), minVersion(range)];
  return lowest && needs && gt(lowest, needs) ? "newer" : "raise";
};

const words = {
  unknown: "check",
  newer: "check, which sallyport does not know yet,",
} as const;

/**
 * Changes the dependencies, and returns a line about each change.
 *
 * @param isImported tells whether a source file still imports a package
 * @param isHome whether the packages that the application needs are added, although express-zod-api is not listed
 */
export const migrateManifest = (
  manifest: Manifest,
  isImported: (name: string) => boolean = () => false,
  isHome = false,
): readonly string[] => {
  const changes: string[] = [];
  const own = sections.find((section) => manifest[section]?.["express-zod-api"] !== undefined);
  for (const section of sections)
    for (const name of removed) {
      const range = manifest[section]?.[name];
      if (range === undefined || (name !== "express-zod-api" && isImported(name))) continue;
      delete manifest[section]?.[name];
      changes.push(`remove ${name} ${range}`);
    }
  const home = own ?? (isHome ? "dependencies" : undefined);
  for (const [name, range] of Object.entries(peers)) {
    const holders = sections.filter((section) => manifest[section]?.[name] !== undefined);
    for (const section of holders) {
      const known = manifest[section]?.[name] ?? "";
      // an application chooses among what a library accepts
      const isLeft = section === "peerDependencies" && !Object.hasOwn(needed, name);
      const verdict = compare(known, range, isLeft ? intersects : subset);
      if (verdict === "raise") {
        set(manifest, section, name, range);
        changes.push(`update ${name} from ${known} to ${range}`);
      } else if (verdict !== "enough")
        changes.push(`${words[verdict]} ${name} ${known}: sallyport needs ${range}`);
    }
    // what a library leaves to the application stays with the application
    const isAbsent = holders.length === 0 && home && Object.hasOwn(needed, name);
    if (!isAbsent || (home === "peerDependencies" && name !== "sallyport")) continue;
    set(manifest, home, name, range);
    changes.push(`add ${name} ${range}`);
  }
  return changes;
};

/** Sets a range; a new name comes where the alphabet wants it, or last if the names are in another order. */
const set = (
  manifest: Manifest,
  section: (typeof sections)[number],
  name: string,
  range: string,
): void => {
  const entries = Object.entries(manifest[section] ?? {});
  const names = entries.map(([one]) => one);
  const isSorted = names.every((one, at) => at === 0 || (names[at - 1] ?? "") < one);
  const all = { ...manifest[section], [name]: range };
  manifest[section] = isSorted
    ? Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)))
    : all;
};

/** Writes the dependencies into the text of a package.json, whose other lines stay as they are. */
export const toManifestText = (text: string, manifest: Manifest): string => {
  const indent = /^([\t ]+)"/m.exec(text)?.[1] ?? "  ";
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  const places = sections.map((section) => {
    const place = new RegExp(`^(${indent}"${section}"\\s*:\\s*)\\{[^{}]*\\}`, "m");
    return { section, place, isWritten: manifest[section] === undefined || place.test(text) };
  });
  if (!places.every(({ isWritten }) => isWritten))
    return `${JSON.stringify(manifest, null, indent).replaceAll("\n", line)}${line}`;
  return places.reduce((all, { section, place }) => {
    const value = JSON.stringify(manifest[section], null, indent);
    return all.replace(place, (_, key: string) =>
      `${key}${value}`.replaceAll("\n", `${line}${indent}`),
    );
  }, text);
};
