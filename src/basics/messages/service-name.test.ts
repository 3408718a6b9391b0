import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { toServiceName } from "./service-name.ts";

/** Creates files in a folder of the test's own, and says where the program was started, and with which main module. */
const place = (
  files: Readonly<Record<string, unknown>>,
  cwd: string,
  main?: string,
  link?: string,
): void => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-name-")));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(
      join(root, path),
      typeof content === "string" ? content : JSON.stringify(content),
    );
  }
  if (link !== undefined) symlinkSync(join(root, main ?? ""), join(root, link));
  const { argv } = process;
  const program = link ?? main;
  process.argv = ["node", ...(program === undefined ? [] : [join(root, program)])];
  const spy = vi.spyOn(process, "cwd").mockReturnValue(join(root, cwd));
  onTestFinished(() => {
    spy.mockRestore();
    process.argv = argv;
    rmSync(root, { recursive: true });
  });
};

const find = (given?: string): string => toServiceName("redisStore", "name", given);

const monorepo = {
  "package.json": { name: "acme" },
  "apps/shop/package.json": { name: "@acme/shop" },
  "apps/shop/dist/package.json": { type: "module" },
  "apps/shop/dist/main.js": "",
  "apps/shop/node_modules/runner/package.json": { name: "runner" },
  "apps/shop/node_modules/runner/main.js": "",
};

test.each<[string, ...Parameters<typeof place>]>([
  ["of the main module", monorepo, ".", "apps/shop/dist/main.js"],
  ["of a main module without its extension", monorepo, ".", "apps/shop/dist/main"],
  ["of a folder that is run", monorepo, ".", "apps/shop"],
  ["behind a link", monorepo, ".", "apps/shop/dist/main.js", "shop"],
  ["of the working directory without a main module", monorepo, "apps/shop"],
  [
    "of the working directory for a runner",
    monorepo,
    "apps/shop",
    `apps/shop/node_modules/runner/main.js`,
  ],
  [
    "of the working directory if the main module has none",
    { "runtime/index.js": "", "task/package.json": { name: "@acme/shop" } },
    "task",
    "runtime/index.js",
  ],
])("the name of the service is that in the package.json %s", (_which, ...placed) => {
  place(...placed);
  expect(find()).toBe("@acme/shop");
});

test("a given name comes first", () => {
  place(monorepo, ".", "apps/shop/dist/main.js");
  expect(find("stock")).toBe("stock");
});

test.each<[string, Parameters<typeof place>[0]]>([
  ["no package.json", { "main.js": "" }],
  ["one that is not JSON", { "main.js": "", "package.json": "{" }],
  ["one without an object", { "main.js": "", "package.json": null }],
  ["an empty name", { "main.js": "", "package.json": { name: "" } }],
])("a service with %s needs a name", (_what, files) => {
  place(files, ".", "main.js");
  expect(find).toThrow(
    expect.objectContaining({ name: "DefinitionError", code: "SLP_DEFINITION_VALUE" }),
  );
  expect(find).toThrow("redisStore: `name` is missing, and the program has no package.json");
  expect(find).toThrow('as in { name: "shop" }');
  expect(find("stock")).toBe("stock");
});
