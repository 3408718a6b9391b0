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

const page = readPage("docs/tutorial.md");

/** The text of each step, by its number. */
const texts = new Map(
  page
    .split(/^## (?=\d)/m)
    .slice(1)
    .map((text) => [Number.parseInt(text, 10), text]),
);

const listFiles = (step: number): ReadonlyMap<string, string> => readFilesUpTo(page, step);

const folders: GuideFolder[] = [];
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

const createFolder = (files: Iterable<readonly [string, string]>): GuideFolder => {
  const folder = createGuideFolder(files);
  folders.push(folder);
  return folder;
};

describe("docs/tutorial.md", () => {
  test("has six steps, each with files of its own", () => {
    expect([...texts.keys()]).toEqual([1, 2, 3, 4, 5, 6]);
    for (const [step, text] of texts) expect(text).toContain(` step=${step}\n`);
  });

  test("has files that compile after each step", () => {
    const files = [...texts.keys()].flatMap((step) =>
      [...listFiles(step)].map(([name, code]) => [`step-${step}/${name}`, code] as const),
    );
    const folder = createFolder(files);
    const names = files.map(([name]) => name);
    expect(compileFiles(folder, names)).toEqual({ status: 0, output: "" });
  });

  test("has files that do not compile with the mistakes that the page names", () => {
    const misspelt = new Map(listFiles(1));
    const books = misspelt.get("books.ts") ?? "";
    misspelt.set("books.ts", books.replace("z.object({ isbn", "z.object({ ibsn"));
    const wrong = new Map(listFiles(4));
    const orders = wrong.get("orders.ts") ?? "";
    wrong.set("orders.ts", orders.replace("left: wanted.stock", 'left: "none"'));
    const files = [
      ...[...misspelt].map(([name, code]) => [`misspelt/${name}`, code] as const),
      ...[...wrong].map(([name, code]) => [`wrong/${name}`, code] as const),
    ];
    const names = files.map(([name]) => name);
    const { output } = compileFiles(createFolder(files), names);
    expect(output).toMatch(/^misspelt\/server\.ts.*isbn/m);
    expect(output).toMatch(/^wrong\/orders\.ts.*'string' is not assignable to type 'number'/m);
  });

  const start = async (step: number): Promise<{ folder: GuideFolder; port: string }> => {
    const port = await findPort();
    const files = [...listFiles(step)].map(
      ([name, code]) => [name, code.replace("8090", port)] as const,
    );
    const folder = createFolder(files);
    folder.start([...typescript, "server.ts"]);
    return { folder, port };
  };

  test.each([1, 2, 3, 4, 5])("responds in step %i as the page says", async (step) => {
    const { port } = await start(step);
    await runCommands(texts.get(step) ?? "", port);
  });

  test("has a client that prints what its comments say", async () => {
    const { folder, port } = await start(6);
    const isListening = () =>
      fetch(`http://127.0.0.1:${port}/books`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isListening, { timeout: 60_000 }).toBe(true);
    const printed = [
      ...(listFiles(6).get("client.ts") ?? "").matchAll(/console\.log.*; \/\/ (.*)/g),
    ];
    expect(folder.run(...typescript, "client.ts")).toEqual({
      status: 0,
      output: printed.map(([, line]) => `${line}\n`).join(""),
    });
  });

  test("has tests that pass, and fail if the shop is wrong", () => {
    const files = listFiles(6);
    const folder = createFolder(files);
    const run = () => folder.run(...typescript, "--test", "shop.test.ts").output;
    expect(run()).toMatch(/pass 2\n[^]*fail 0/);
    const right = files.get("orders.ts") ?? "";
    folder.write("orders.ts", right.replace("wanted.stock -= quantity", "wanted.stock -= 1"));
    expect(run()).toMatch(/fail 1/);
  });
});
