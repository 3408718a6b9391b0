import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, type Io } from "../src/index.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-mock-command-"));
  writeFileSync(join(folder, "none.mjs"), "export const handlers = {};");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const useEntry: Io["useEntry"] = (_, use) => use({ routing: {}, config: {} });

/** Runs a command that fails; how the mock is served is tested in test/full/mock-command.test.ts. */
const run = async (args: readonly string[], more: Pick<Io, "useEntry"> = { useEntry }) => {
  let text = "";
  const write = (part: string): void => void (text += part);
  const code = await runCli(["mock", ...args], { out: write, err: write, ...more });
  return { code, text };
};

test.for([
  [["--port", "http"], "--port must be a number from 0 to 65535; got http.", 2],
  [["--port", "70000"], "--port must be a number from 0 to 65535; got 70000.", 2],
  [["api.js", "other.js"], "`sallyport mock` takes one entry; got api.js other.js.", 2],
  [["--handlers", "none.js"], "none.js cannot be loaded: ", 1],
] as const)("the command rejects %s", async ([args, message, code]) => {
  expect(await run(args)).toEqual({
    text: expect.stringContaining(`sallyport: ${message}`) as string,
    code,
  });
});

test("the command rejects a module without handlers", async () => {
  const file = join(folder, "none.mjs");
  const { text, code } = await run(["--handlers", file]);
  expect(text).toContain(`sallyport: ${file} has no default export with handlers`);
  expect(code).toBe(1);
});

test("the command names a route for which no handler can be used", async () => {
  const file = join(folder, "wrong.mjs");
  writeFileSync(file, 'export default { "get /users": () => ({}) };');
  const { text, code } = await run(["--handlers", file]);
  expect(text).toContain('sallyport: mock: `handlers` has "get /users"');
  expect(code).toBe(1);
});

test("the command needs what loads the API", async () => {
  const { text, code } = await run([], {});
  expect(text).toContain("only `sallyport mock` can do");
  expect(code).toBe(1);
});
