import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureNodes } from "./node-versions.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const cache = join(root, "node_modules/.cache/peers");
const { dependencies, peerDependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<"express" | "zod", string>>;
};

/** Functions that choose the lowest or the highest version in a range that users may have installed. */
const ends = {
  lowest: (range: string) => range.replace(/^\^/, ""),
  highest: (range: string) => range,
} as const;

/** Links this project's packages next to the installed Zod and Express, which keep their own versions. */
const link = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === ".cache") continue;
    if (name.startsWith("@")) link(join(from, name), join(to, name));
    else if (!existsSync(join(to, name))) symlinkSync(join(from, name), join(to, name));
  }
};

/** Copies the project, and installs the lowest or the highest versions of Zod and Express. */
const ensureProject = (end: keyof typeof ends): string => {
  const home = join(cache, end);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), '{ "private": true }');
  const peers = (["zod", "express"] as const).map(
    (name) => [name, ends[end](peerDependencies[name])] as const,
  );
  // those of sallyport itself, or else Express' versions of them would take their place
  const packages = [...peers, ...Object.entries(dependencies)].map(
    ([name, version]) => `${name}@${version}`,
  );
  const install = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
  execFileSync("npm", [...install, ...packages], { cwd: home, stdio: "inherit" });
  link(join(root, "node_modules"), join(home, "node_modules"));
  for (const name of ["src", "test", "package.json", "vitest.config.ts", "tsconfig.json"])
    cpSync(join(root, name), join(home, name), { recursive: true });
  return home;
};

const run = (node: string, home: string, args: readonly string[], environment = {}) => {
  const { status, stdout, stderr } = spawnSync(
    node,
    [join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", home, ...args],
    { cwd: home, encoding: "utf8", env: { ...process.env, NO_COLOR: "1", ...environment } },
  );
  // the output names the tests that failed
  return status === 0 ? "passed" : `${stdout}${stderr}`;
};

/** The tests of behaviour that is different in Zod before 4.6.6 or in Express before 5.3; see docs/internals/reliability.md. */
const differences = [
  "an array that is too long is rejected before its elements are parsed",
  "the default in a schema's definition is a replaceable getter, even for a compiled schema",
  "a compiled schema retains no default that the application's own parses have read",
  "run once per parse, and not while the parser is created: a (?:default|prefault)",
  "run once for each array element that needs a default",
  "sends the same as Express' response.json: '/chunked'",
] as const;

/** Returns the vitest arguments; with the lowest versions, they skip the tests listed above. */
const toFilter = (end: keyof typeof ends): readonly string[] =>
  end === "lowest" ? ["-t", `^(?!.*(?:${differences.join("|")}))`] : [];

const nodes = [...ensureNodes()].map(([version]) => version);

describe.each(["lowest", "highest"] as const)("with the %s versions of Zod and Express", (end) => {
  let home = "";
  beforeAll(() => {
    home = ensureProject(end);
  });

  test.runIf(end === "lowest").each(["zod", "express"] as const)(
    "%s has the expected version",
    (name) => {
      const file = join(home, "node_modules", name, "package.json");
      const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
      expect(version).toBe(ends.lowest(peerDependencies[name]));
    },
  );

  test.each(nodes)("the assumptions hold on Node.js %s", (version) => {
    const node = ensureNodes().get(version) as string;
    expect(run(node, home, ["--project", "assumptions", ...toFilter(end)])).toBe("passed");
  });

  test.each(nodes)("schemas parse, and requests get responses, on Node.js %s", (version) => {
    const files = [
      "src/basics/schemas",
      "src/basics/http",
      "native-express",
      "input-sources",
      "errors.test",
      "fast-way",
    ];
    const outcome = run(ensureNodes().get(version) as string, home, [
      ...["--project", "unit", "--project", "http", ...files, "node-internals", ...toFilter(end)],
    ]);
    expect(outcome).toBe("passed");
  });
});

test.each(nodes)("without the room `shortcuts/`, all HTTP tests pass on Node.js %s", (version) => {
  const node = ensureNodes().get(version) as string;
  expect(run(node, root, ["--project", "http"], { SALLYPORT_SHORTCUTS: "off" })).toBe("passed");
});
