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
  slow: defaultEndpointsFactory.build({
    input: z.object({ text: z.string().regex(/^(a+)+$/) }),
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
  for (const name of ["sallyport", "zod", "@sallyport", "tsx"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const name of ["api.js", "typed-api.ts"]) writeFileSync(join(folder, name), api);
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

/** Starts the command, and waits until it serves the API. */
const serve = async (...args: string[]) => {
  const child = run("--port", "0", ...args);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
  return { child, url };
};

test("the command serves the API until it is stopped", async () => {
  const { child, url } = await serve("--seed", "7", "--handlers", "handlers.js");
  const response = await fetch(`${url}/users/7`);
  expect(await response.json()).toEqual({
    status: "success",
    data: { id: "7", name: "User 7" },
  });
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
});

test("a pattern that a client keeps busy does not stop the mock", async () => {
  const { child, url } = await serve();
  expect((await fetch(`${url}/slow?text=${"a".repeat(60)}!`)).status).toBe(400);
  child.kill("SIGKILL");
});

test.skipIf(process.platform === "win32").each([
  ["SIGTERM", [0, null]],
  ["SIGINT", [0, null]],
  ["SIGHUP", [null, "SIGHUP"]],
  ["SIGKILL", [null, "SIGKILL"]],
] as const)("after %s, nothing that has loaded TypeScript keeps the port", async (signal, end) => {
  const { child, url } = await serve("typed-api.ts");
  expect((await fetch(`${url}/users/7`)).status).toBe(200);
  child.kill(signal);
  expect(await once(child, "exit")).toEqual(end);
  await expect(fetch(`${url}/users/7`)).rejects.toThrow("fetch failed");
});
