import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGuideFolder, readFiles, root, typescript, type GuideFolder } from "./guide.ts";

const files = readFiles("docs/testing.md");
let folder: GuideFolder;

beforeAll(() => {
  folder = createGuideFolder(files);
});

afterAll(() => folder.remove());

describe("docs/testing.md", () => {
  test("has tests that pass with Node's own runner, and fail if the endpoint is wrong", () => {
    const names = ["greet.test.ts", "users.test.ts", "client.test.ts", "session.test.ts"];
    const runTests = () => folder.run(...typescript, "--test", ...names);
    expect(runTests()).toMatchObject({ output: expect.stringMatching(/pass 10\n[^]*fail 0/) });
    const right = files.get("users.ts") ?? "";
    folder.write("users.ts", right.replace("Bearer secret", "Bearer other"));
    expect(runTests().output).toMatch(/fail [1-9]/);
    folder.write("users.ts", right);
  });

  test("has tests that pass with vitest", () => {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const { status, output } = folder.run(vitest, "run", "--root", ".", "users.vitest");
    expect(output).toMatch(/2 passed/);
    expect(status).toBe(0);
  });
});
