import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
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
  [["--host", "256.0.0.1"], "This machine does not have the address 256.0.0.1: choose another", 2],
  [["--handlers", "none.js"], "There is no file none.js.", 1],
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
  expect(code).toBe(2);
});

test("the command names a route for which no handler can be used", async () => {
  const file = write("wrong.mjs", 'export default { "get /users": () => ({}) };');
  const { err, code } = await run("--handlers", file);
  expect(err).toContain('sallyport: mock: `handlers` has "get /users"');
  expect(code).toBe(2);
});

test.for(["an entry", "a document"])(
  "the command names the fix if %s has no port",
  async (kind) => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const given =
      kind === "an entry"
        ? entry
        : write("api.json", '{ "openapi": "3.1.0", "info": { "title": "", "version": "" } }');
    expect(await runCommand("mock", given, "--port", String(port))).toEqual({
      ...{ code: 2, out: "" },
      err: `sallyport: Port ${port} is in use: stop the process that uses it, or choose another port with --port.\n`,
    });
    server.close();
  },
);
