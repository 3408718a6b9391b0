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
const steps = [1, 2, 3, 4];
const parts = page.split(/^## (?=\d)/m);
const findPart = (step: number): string => parts.find((part) => part.startsWith(`${step}.`)) ?? "";

/** Returns the files that a reader has after a step, without the routes that the page says to delete. */
const readStep = (step: number): readonly (readonly [name: string, code: string])[] => {
  const text = parts.slice(0, step + 1).join("");
  const deleted = [...text.matchAll(/^Then delete `(.*) …\)` from books\.ts\.$/gm)];
  expect(deleted).toHaveLength([0, 1, 2, 2][step - 1] ?? 0);
  return [...readFilesUpTo(page, step)].map(([name, code]) => {
    if (name !== "books.ts") return [name, code];
    const kept = deleted.reduce((rest, [, start = ""]) => {
      const from = rest.indexOf(start);
      expect(from).toBeGreaterThan(0);
      return rest.slice(0, from) + rest.slice(rest.indexOf("\n});\n", from) + 5);
    }, code);
    return [name, kept];
  });
};

const folders: GuideFolder[] = [];
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

describe("docs/from-express.md", () => {
  test("has files that compile after each step", () => {
    const files = steps.flatMap((step) =>
      readStep(step).map(([name, code]) => [`step-${step}/${name}`, code] as const),
    );
    const folder = createGuideFolder(files);
    folders.push(folder);
    const names = files.map(([name]) => name);
    expect(compileFiles(folder, names)).toEqual({ status: 0, output: "" });
  });

  test.each(steps)("responds in step %i as before the move, and as it says", async (step) => {
    const port = await findPort();
    const files = readStep(step).map(([name, code]) => [name, code.replace("8090", port)] as const);
    const folder = createGuideFolder(files);
    folders.push(folder);
    folder.start([...typescript, "server.ts"]);
    await runCommands(step === 1 ? findPart(1) : findPart(1) + findPart(step), port);
  });
});
