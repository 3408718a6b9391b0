import { afterAll, expect, test } from "vitest";
import {
  compileFiles,
  createGuideFolder,
  findPort,
  readFiles,
  readPage,
  runCommands,
  typescript,
  type GuideFolder,
} from "./guide.ts";

const name = "docs/from-ts-rest.md";

const folders: GuideFolder[] = [];
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

test("the files of docs/from-ts-rest.md compile together, and respond as the page says", async () => {
  const port = await findPort();
  const files = [...readFiles(name)].map(
    ([file, code]) => [file, code.replace("8090", port)] as const,
  );
  const folder = createGuideFolder(files);
  folders.push(folder);
  expect(
    compileFiles(
      folder,
      files.map(([file]) => file),
    ),
  ).toEqual({ status: 0, output: "" });
  folder.start([...typescript, "server.ts"]);
  await runCommands(readPage(name), port);
});
