import { afterAll, expect, test } from "vitest";
import { createGuideFolder, findPort, readFiles, typescript, type GuideFolder } from "./guide.ts";

const folders: GuideFolder[] = [];
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

test.each([
  ["docs/rate-limits.md", "rate-limited.ts", "200 null\n200 null\n429 60\n"],
  ["docs/idempotency.md", "idempotent.ts", "200 null\n200 true\n422 null\n1\n"],
  ["docs/conditional-requests.md", "notes.ts", '"1"\n200 "2"\n412 Milk\n304\n'],
  ["docs/channels.md", "orders.ts", "placed 2\nshipped 1\nmissed true\n"],
])("the recipe in %s prints what its comments say", async (page, name, printed) => {
  const port = await findPort();
  const files = [...readFiles(page)].map(
    ([file, code]) => [file, code.replaceAll("8090", port)] as const,
  );
  const folder = createGuideFolder(files);
  folders.push(folder);
  expect(folder.run(...typescript, name)).toEqual({ status: 0, output: printed });
});
