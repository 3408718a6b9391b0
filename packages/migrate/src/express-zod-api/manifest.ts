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
const needed = { sallyport: "^0.1.0", zod: "^4.1.0", express: "^5.1.0" } as const;

const rangeOf = (manifest: Manifest, name: string): string | undefined =>
  sections.map((section) => manifest[section]?.[name]).find((range) => range !== undefined);

/** Returns the first number of a range such as `^25.1.0`. */
export const majorOf = (range: string | undefined): number | undefined => {
  const digits = /\d+/.exec(range ?? "")?.[0];
  return digits === undefined ? undefined : Number(digits);
};

/** Reads the major version of express-zod-api, and whether schemas are those of Zod 3. */
export const readFacts = (manifest: Manifest) => {
  const major = majorOf(rangeOf(manifest, "express-zod-api"));
  // 24 is the first version whose schemas are those of Zod 4, which may still be installed as 3.25
  const isZod3 = major === undefined ? (majorOf(rangeOf(manifest, "zod")) ?? 4) < 4 : major < 24;
  return { major, isZod3 };
};

/** Changes the dependencies, and returns a line about each change. */
export const migrateManifest = (manifest: Manifest): readonly string[] => {
  const changes: string[] = [];
  const home = sections.find((section) => manifest[section]?.["express-zod-api"] !== undefined);
  for (const section of sections)
    for (const name of removed) {
      const range = manifest[section]?.[name];
      if (range === undefined) continue;
      delete manifest[section]?.[name];
      changes.push(`remove ${name} ${range}`);
    }
  for (const [name, range] of Object.entries(needed)) {
    const section = sections.find((one) => manifest[one]?.[name] !== undefined);
    const known = section && manifest[section]?.[name];
    const major = majorOf(known);
    if (known !== undefined && major !== undefined && major >= (majorOf(range) ?? 0)) continue;
    const target = section ?? home ?? "dependencies";
    manifest[target] = sorted({ ...manifest[target], [name]: range });
    changes.push(
      known === undefined ? `add ${name} ${range}` : `update ${name} from ${known} to ${range}`,
    );
  }
  const types = rangeOf(manifest, "@types/express");
  const typed = sections.find((one) => manifest[one]?.["@types/express"] !== undefined);
  if (typed && (majorOf(types) ?? 5) < 5) {
    manifest[typed] = { ...manifest[typed], "@types/express": "^5.0.0" };
    changes.push(`update @types/express from ${types} to ^5.0.0`);
  }
  return changes;
};

const sorted = (record: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
