import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "./run-command.ts";

let folder = "";
let entry = "";
const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-mock-command-"));
  entry = write("api.mjs", "export const routing = {};");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command that fails; how the mock is served is tested in test/full/mock-command.test.ts. */
const run = (...args: readonly string[]) => runCommand("mock", entry, ...args);

test.for([
  [["--port", "http"], "--port must be a number from 0 to 65535; got http.", 2],
  [["--port", "70000"], "--port must be a number from 0 to 65535; got 70000.", 2],
  [["other.js"], "`sallyport mock` takes one entry; got ", 2],
  [["--handlers", "none.js"], "none.js cannot be loaded: ", 1],
] as const)("the command rejects %s", async ([args, message, code]) => {
  expect(await run(...args)).toEqual({
    ...{ code, out: "" },
    err: expect.stringContaining(`sallyport: ${message}`) as string,
  });
});

test("the command rejects a module without handlers", async () => {
  const file = write("none.mjs", "export const handlers = {};");
  const { err, code } = await run("--handlers", file);
  expect(err).toContain(`sallyport: ${file} has no default export with handlers`);
  expect(code).toBe(1);
});

test("the command names a route for which no handler can be used", async () => {
  const file = write("wrong.mjs", 'export default { "get /users": () => ({}) };');
  const { err, code } = await run("--handlers", file);
  expect(err).toContain('sallyport: mock: `handlers` has "get /users"');
  expect(code).toBe(1);
});
