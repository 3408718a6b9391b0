import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGuideFolder, findPort, readFiles, typescript, type GuideFolder } from "./guide.ts";

const files = readFiles("docs/client.md");
let folder: GuideFolder;

beforeAll(async () => {
  const port = await findPort();
  folder = createGuideFolder(
    [...files].map(([name, code]) => [name, code.replaceAll("8090", port)]),
  );
  const { stdout } = folder.start([...typescript, "api.ts"]);
  if (stdout) await once(stdout, "data");
});

afterAll(() => folder.remove());

test.each(["calls.ts", "statuses.ts", "pages.ts", "events.ts", "files.ts", "queries.ts"])(
  "%s in docs/client.md prints the output stated in its comments",
  (name) => {
    const code = files.get(name) ?? "";
    const printed = [...code.matchAll(/console\.log\(.*\/\/ (\S+(?: \S+)?)$/gm)];
    expect(printed.length).toBeGreaterThan(0);
    const { output } = folder.run(...typescript, name);
    expect(output.trim().split("\n")).toEqual(printed.map(([, text]) => text));
  },
);
