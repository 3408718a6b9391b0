import { afterAll, expect, test } from "vitest";
import { createGuideFolder, readFiles, readGuideProgram, type GuideFolder } from "./guide.ts";

const folders: GuideFolder[] = [];
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

// each compilation reads all declarations, so several pages share one
test.each([
  {
    pages: ["README.md", "docs/getting-started.md", "docs/cluster.md", "docs/csrf.md", "guide"],
    skipLibCheck: false,
  },
  // the declarations of vitest, of the query client and of stores need more libraries than Node's types
  {
    pages: [
      ...["docs/client.md", "docs/openapi.md", "docs/testing.md"],
      ...["docs/rate-limits.md", "docs/idempotency.md", "docs/conditional-requests.md"],
      ...["docs/channels.md", "docs/opentelemetry.md", "docs/authentication.md", "docs/health.md"],
      ...["docs/deployment.md", "docs/transactions.md"],
    ],
    skipLibCheck: true,
  },
])(
  "$pages.0 and the other pages of its group compile under `strict`",
  ({ pages, skipLibCheck }) => {
    const files = pages.flatMap((page) =>
      page === "guide"
        ? [["guide/guide.ts", readGuideProgram()] as const]
        : [...readFiles(page)].map(([name, code]) => [`${page}/${name}`, code] as const),
    );
    expect(files.length).toBeGreaterThan(5);
    const folder = createGuideFolder(files);
    folders.push(folder);
    folder.write(
      "quick-start.json",
      readFiles("docs/getting-started.md").get("tsconfig.json") ?? "",
    );
    const config = {
      extends: "./quick-start.json",
      compilerOptions: { noEmit: true, skipLibCheck },
      files: files.map(([name]) => name).filter((name) => name.endsWith(".ts")),
    };
    folder.write("tsconfig.json", JSON.stringify(config));
    const compiler = "node_modules/typescript/bin/tsc";
    expect(folder.run(compiler, "--pretty", "false")).toEqual({ status: 0, output: "" });
  },
);
