import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const api = `
import { defaultEndpointsFactory } from "sallyport";
import { z } from "zod";
export const routing = {
  "users/:id": defaultEndpointsFactory.build({
    input: z.object({ id: z.string() }),
    output: z.object({ id: z.string(), name: z.string() }),
    handler: () => { throw new Error("The application's own handler runs"); },
  }),
};
export const config = { cors: false, logger: { level: "silent" } };
`;
const handlers = `export default { "get /users/:id": ({ input }) => ({ name: \`User \${input.id}\` }) };`;

let folder = "";
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-mock-command-"));
  mkdirSync(join(folder, "node_modules"));
  for (const name of ["sallyport", "zod", "@sallyport"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "api.js"), api);
  writeFileSync(join(folder, "handlers.js"), handlers);
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the built command. */
const run = (...args: string[]) => {
  const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), "mock", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  return child;
};

test("the command serves the API until it is stopped", async () => {
  const child = run("--port", "0", "--seed", "7", "--handlers", "handlers.js");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const [url] = /http:\/\/localhost:\d+/.exec(line) ?? [];
  const response = await fetch(`${url}/users/7`);
  expect(await response.json()).toEqual({
    status: "success",
    data: { id: "7", name: "User 7" },
  });
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
});
