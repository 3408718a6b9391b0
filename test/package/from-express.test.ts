import { afterAll, describe, expect, test } from "vitest";
import {
  compileFiles,
  createGuideFolder,
  findPort,
  readFilesUpTo,
  readPage,
  runCommands,
  typescript,
  type GuideFolder,
} from "./guide.ts";

const page = readPage("docs/from-express.md");
const steps = [2, 3, 4];

const folders: GuideFolder[] = [];
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

describe("docs/from-express.md", () => {
  test("has files that compile after each step", () => {
    const files = steps.flatMap((step) =>
      [...readFilesUpTo(page, step)].map(([name, code]) => [`step-${step}/${name}`, code] as const),
    );
    const folder = createGuideFolder(files);
    folders.push(folder);
    const names = files.map(([name]) => name);
    expect(compileFiles(folder, names)).toEqual({ status: 0, output: "" });
  });

  test.each(steps)("responds in step %i as the page says", async (step) => {
    const port = await findPort();
    const files = [...readFilesUpTo(page, step)].map(
      ([name, code]) => [name, code.replace("8090", port)] as const,
    );
    const folder = createGuideFolder(files);
    folders.push(folder);
    folder.start([...typescript, "server.ts"]);
    const text = page.split(/^## (?=\d)/m).find((part) => part.startsWith(`${step}.`)) ?? "";
    await runCommands(text, port);
  });
});
