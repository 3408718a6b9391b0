import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  compileFiles,
  createGuideFolder,
  readFiles,
  readPage,
  root,
  type GuideFolder,
} from "./guide.ts";

const folders: GuideFolder[] = [];
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

const pages = ["docs", "docs/how-to"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`),
);

/** The pages with several versions of a file, each of which is compiled by a test of its own. */
const withSteps: ReadonlySet<string> = new Set(["docs/from-express.md", "docs/tutorial.md"]);

/** The pages whose blocks import packages with declarations that need more libraries than Node's types. */
const withForeignTypes: ReadonlySet<string> = new Set(
  [
    ...["authentication", "channels", "client", "conditional-requests", "health", "idempotency"],
    ...["logs", "openapi", "production", "rate-limits", "testing", "transactions"],
    ...[
      "bullmq",
      "caching",
      "csv",
      "jobs",
      "jwt",
      "lists-in-sql",
      "outgoing-webhooks",
      "proxy",
    ].map((name) => `how-to/${name}`),
    "how-to/tenants",
  ].map((name) => `docs/${name}.md`),
);

const listFiles = (page: string): readonly (readonly [name: string, code: string])[] =>
  [...readFiles(page)].map(([name, code]) => [`${page}/${name}`, code]);

const isUnmarked = (info: string): boolean => !/^ (?:file=\S+.*|fragment)$/.test(info);

// each compilation reads all declarations, so several pages share one
test.each([
  {
    group: "without",
    skipLibCheck: false,
    files: ["README.md", ...pages]
      .filter((page) => !withForeignTypes.has(page) && !withSteps.has(page))
      .flatMap(listFiles),
  },
  {
    group: "with",
    skipLibCheck: true,
    files: [
      ...pages.filter((page) => withForeignTypes.has(page)).flatMap(listFiles),
      // the recipe that the page takes from another one
      [
        "docs/conditional-requests.md/in-transaction.ts",
        readFiles("docs/transactions.md").get("in-transaction.ts") ?? "",
      ] as const,
    ],
  },
])("the files of the pages $group foreign types compile under `strict`", (options) => {
  const { files, skipLibCheck } = options;
  expect(files.length).toBeGreaterThan(20);
  const folder = createGuideFolder(files);
  folders.push(folder);
  const names = files.map(([name]) => name).filter((name) => name.endsWith(".ts"));
  expect(compileFiles(folder, names, { skipLibCheck })).toEqual({ status: 0, output: "" });
});

test.each(pages)("each block of TypeScript in %s is a file, or is marked as a fragment", (page) => {
  // the recipes are compiled and run by test/full/packages
  const text = readPage(page).replaceAll(/<!-- recipe: \S+ -->\s*```ts\n/g, "");
  const blocks = [...text.matchAll(/^ *```(?:ts|typescript|tsx)\b(.*)$/gm)];
  expect(blocks.map(([, info = ""]) => info).filter(isUnmarked)).toEqual([]);
});
