import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import packageJson from "./package.json" with { type: "json" };

const exports = packageJson.exports as Readonly<
  Record<string, string | { readonly types: string; readonly default: string }>
>;

/** Resolves a package beside the core to its sources. */
const toPackage = (name: string) => ({
  find: `@sallyport/${name}`,
  replacement: fileURLToPath(new URL(`packages/${name}/src/index.ts`, import.meta.url)),
});

/** Resolves the entries of the package to its sources, or to the built modules. */
export const toAlias = (folder: "src" | "dist") => [
  ...Object.entries(exports).flatMap(([name, files]) => {
    if (typeof files === "string") return [];
    const file =
      folder === "dist"
        ? files.default
        : files.types.replace("./dist/", "./src/").replace(/\.d\.ts$/, ".ts");
    return {
      find: new RegExp(`^${name.replace(".", "sallyport")}$`),
      replacement: fileURLToPath(new URL(file, import.meta.url)),
    };
  }),
  ...["contract", "document"].map(toPackage),
];
/** With SALLYPORT_SHORTCUTS=off, the tests run as if the room `shortcuts/` did not exist. */
const isPlain = process.env["SALLYPORT_SHORTCUTS"] === "off";
const plainShortcuts = {
  find: /^\.{1,2}\/(?:.*\/)?shortcuts\/shortcuts\.ts$/,
  replacement: fileURLToPath(new URL("test/plain-shortcuts.ts", import.meta.url)),
};
/** All test files in a process share its modules: loading the modules again for each file takes longer than the tests. */
const shared = { isolate: false };
/** A setup file that closes the servers of the harness after each test. */
const setupFiles = ["test/http/setup.ts"];
const shop = {
  ...shared,
  globalSetup: ["example/test/folder.ts"],
  setupFiles: ["example/test/setup.ts"],
};
/** Polling ends at once if all is well; on busy cores, it may take seconds. */
const patient = { poll: { timeout: 10_000 } };
/** Options that hide the warning about an old Node.js, which is meant for those who run a server. */
const execArgv = ["--disable-warning=SLP_WARN_RUNTIME"];
const project = (name: string, include: string[], more: object = {}) => ({
  resolve: {
    alias: [...toAlias(name === "built" ? "dist" : "src"), ...(isPlain ? [plainShortcuts] : [])],
  },
  // a time limit detects tests that hang; on busy cores the slowest tests take seconds
  test: {
    name,
    include,
    exclude: [
      "**/node_modules/**",
      ...(isPlain ? ["src/wire/shortcuts/**", "test/http/shortcuts/**"] : []),
    ],
    environment: "node",
    testTimeout: 20_000,
    hookTimeout: 60_000,
    expect: patient,
    execArgv,
    // on Bun, vitest takes a module with a default for one of CommonJS
    deps: { interopDefault: process.versions["bun"] === undefined },
    ...more,
  },
});

export default defineConfig({
  test: {
    coverage: {
      // these run in processes of their own
      include: ["example/src/**"],
      exclude: ["main", "serve", "telemetry"].map((name) => `example/src/${name}.ts`),
      reporter: ["text"],
      thresholds: { lines: 90 },
    },
    projects: [
      project("unit", ["src/**/*.test.ts"], shared),
      project("assumptions", ["test/assumptions/**/*.test.ts"], { setupFiles }),
      project("architecture", ["test/*.test.ts"]),
      project("http", ["test/http/**/*.test.ts"], { ...shared, setupFiles }),
      // a bundler drops what it takes for unused
      project("built", ["test/http/**/*.test.ts"], { ...shared, setupFiles }),
      project("example", ["example/test/**/*.test.ts"], {
        ...shop,
        // not a negated pattern above, with which the report of the coverage is empty
        exclude: ["**/node_modules/**", "example/test/contract.test.ts"],
      }),
      // fills the shop with what other tests do not expect
      project("shop-contract", ["example/test/contract.test.ts"], shop),
      project("packages", ["packages/*/test/**/*.test.ts"], { testTimeout: 60_000 }),
      project("site", ["site/test/*.test.ts"], shared),
      project("site-pages", ["site/test/built/*.test.ts"], {
        testTimeout: 60_000,
        globalSetup: ["site/test/built/build.ts"],
      }),
      project("services", ["test/services/**/*.test.ts"], { testTimeout: 60_000, setupFiles }),
      project("compiler", ["test/compiler/**/*.test.ts"], {
        testTimeout: 180_000,
        hookTimeout: 180_000,
      }),
      project("openapi", ["test/openapi/**/*.test.ts"], { testTimeout: 60_000, setupFiles }),
      project("full", ["test/full/**/*.test.ts", "!test/full/hosts/**"], {
        ...{ testTimeout: 900_000, hookTimeout: 120_000, setupFiles },
      }),
      project("hosts", ["test/full/hosts/*.test.ts"], { testTimeout: 900_000 }),
      project("quick-start", ["test/package/*.test.ts", "!test/package/packed-*.test.ts"], {
        testTimeout: 120_000,
      }),
      project("package", ["test/package/packed-*.test.ts"], {
        testTimeout: 240_000,
        hookTimeout: 240_000,
      }),
    ],
  },
});
