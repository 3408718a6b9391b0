import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  createGuideFolder,
  findPort,
  readFiles,
  readPage,
  root,
  typescript,
  type GuideFolder,
} from "./guide.ts";

const guide = readPage("docs/openapi.md");
const files = readFiles("docs/openapi.md");
let folder: GuideFolder;
let port = "";

beforeAll(async () => {
  port = await findPort();
  folder = createGuideFolder(
    [...files].map(([name, code]) => [name, code.replaceAll("8090", port)]),
  );
});

afterAll(() => folder.remove());

/** Runs a command as the guide shows it; throws if the guide does not contain it. */
const runCommand = (command: string) => {
  const [line] = guide.match(new RegExp(`^npx ${command}(?= |$)`, "m")) ?? [];
  if (line === undefined) throw new Error(`The guide has no ${command}`);
  return folder.run(join(root, "dist/cli/main.js"), ...line.split(" ").slice(2));
};

describe("docs/openapi.md", () => {
  test("has no untested code", () => {
    expect([...files.keys()]).toEqual(["src/api.ts", "src/server.ts", "src/document.ts"]);
    expect(guide.match(/^```ts/gm)).toHaveLength(files.size);
    expect(guide.match(/^npx /gm)).toHaveLength(4);
  });

  test("has commands that list the routes, write the document, and detect a document that is out of date", () => {
    expect(runCommand("sallyport routes")).toEqual({
      status: 0,
      output: expect.stringMatching(/GET +\/users\/:id +query params +200 400 404 500/),
    });
    // the route of the page is neither public nor protected
    expect(runCommand("sallyport routes --check")).toEqual({
      status: 1,
      output: expect.stringContaining("/users/:id"),
    });
    const check = "sallyport openapi --out openapi.yaml --check";
    expect(runCommand(check).status).toBe(1);
    expect(runCommand("sallyport openapi --out openapi.yaml")).toEqual({
      status: 0,
      output: "Wrote openapi.yaml (1 route)\n",
    });
    expect(runCommand(check)).toEqual({ status: 0, output: "" });
    const document: unknown = parse(readFileSync(join(folder.path, "openapi.yaml"), "utf8"));
    expect(document).toHaveProperty("info.title", "Users");
  });

  test("has a program that creates the document shown in its comment", () => {
    const [, said = ""] = /\/\/ (\[.*\])$/m.exec(files.get("src/document.ts") ?? "") ?? [];
    expect(said).not.toBe("");
    expect(folder.run(...typescript, "src/document.ts").output.trim()).toBe(said);
  });

  test("has a server that serves the documentation page", async () => {
    const { stdout } = folder.start([...typescript, "src/server.ts"]);
    let printed = "";
    stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await expect.poll(() => printed, { timeout: 30_000 }).toContain("Listening on");
    const page = await fetch(`http://127.0.0.1:${port}/docs`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Users")]);
    const user = await fetch(`http://127.0.0.1:${port}/users/7d444840-9dc0-41d3-b0c6-8f0d2c1ad1b9`);
    expect(await user.json()).toHaveProperty("data.name", "Ada");
  });
});
