import { afterAll, expect, test } from "vitest";
import { createGuideFolder, findPort, readFiles, typescript, type GuideFolder } from "./guide.ts";

const folders: GuideFolder[] = [];
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

test("the recipe in docs/logs.md records what its comments say", async () => {
  const [port, metricsPort] = [await findPort(), await findPort()];
  const files = [...readFiles("docs/logs.md")].map(
    ([file, code]) =>
      [file, code.replaceAll("8090", port).replaceAll("9464", metricsPort)] as const,
  );
  const recipe = files.find(([file]) => file === "traced.ts")?.[1] ?? "";
  const folder = createGuideFolder(files);
  folders.push(folder);
  folder.write("verbose.ts", recipe.replace('"warn"', '"info", color: false'));
  const id = "0af7651916cd43dd8448eb211c80319c";
  const printed = `${id} handler\n${id} GET /v1/users/:id\nhttp_route="/v1/users/:id"\n`;
  expect(folder.run(...typescript, "traced.ts")).toEqual({ status: 0, output: printed });
  const { output } = folder.run(...typescript, "verbose.ts");
  expect(output.replaceAll(/\s+/g, " ")).toContain(`info: Found { trace_id: '${id}', span_id: '`);
});
