import { afterAll, expect, test } from "vitest";
import { createGuideFolder, findPort, readFiles, typescript, type GuideFolder } from "./guide.ts";

const folders: GuideFolder[] = [];
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

/** Starts a file of the page, and returns what it sends for a book. */
const ask = async (file: string): Promise<string> => {
  const port = await findPort();
  const folder = createGuideFolder(
    [...readFiles("docs/leaving.md")].map(([name, code]) => [name, code.replace("8090", port)]),
  );
  folders.push(folder);
  folder.start([...typescript, file]);
  const send = () =>
    fetch(`http://127.0.0.1:${port}/books/1`).then(
      (response) => response.text(),
      () => "",
    );
  await expect.poll(send, { timeout: 60_000 }).not.toBe("");
  return send();
};

test("the endpoint in docs/leaving.md sends the same without sallyport", async () => {
  const before = await ask("with-sallyport.ts");
  expect(before).toBe('{"status":"success","data":{"id":"1","title":"Emma"}}');
  expect(await ask("without-sallyport.ts")).toBe(before);
});
