import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Creates a folder with nothing but the file that the server of the fixtures sends. */
export const createBundleFolder = (within: string): string => {
  const path = mkdtempSync(join(within, "bundle-"));
  writeFileSync(join(path, "file.txt"), "a file\n");
  return path;
};

/** Starts a program, and returns the first line that it prints, with a function that ends it. */
export const startProgram = async (command: string, args: readonly string[], cwd: string) => {
  const child = spawn(command, args, {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_ENV: "production", NODE_NO_WARNINGS: "1" },
  });
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "exit").then(([code]) => [`exit code ${code}`]),
  ])) as [string];
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { line, stop };
};

const toForm = (): FormData => {
  const form = new FormData();
  form.set("file", new File(["content"], "a.txt"));
  return form;
};

/** Sends a request for each package that a server loads when it is needed, and returns the responses. */
export const askBundle = async (url: string): Promise<Record<string, unknown>> => {
  const ask = async (path: string, init: RequestInit = {}): Promise<string> => {
    const response = await fetch(`${url}/${path}`, { redirect: "manual", ...init });
    const location = response.headers.get("location");
    return `${response.status} ${location ?? (await response.text())}`;
  };
  return {
    hello: await ask("hello?name=Ada"),
    missing: await ask("missing"),
    teapot: await ask("teapot"),
    upload: await ask("upload", { method: "POST", body: toForm() }),
    session: await ask("session", { headers: { Cookie: "session=abc" } }),
    moved: await ask("moved"),
    events: await ask("events", { headers: { Accept: "text/event-stream" } }),
    document: (await ask("document")).split("\n").slice(0, 2),
    file: await ask("files/file.txt"),
  };
};

/** What {@link askBundle} returns if all packages are there. */
export const fromWholeBundle = {
  hello: '200 {"status":"success","data":{"greeting":"Hello, Ada"}}',
  missing: '404 {"status":"error","error":{"message":"There is no such book"}}',
  teapot: '418 {"status":"error","error":{"message":"A teapot"}}',
  upload: '200 {"status":"success","data":{"name":"a.txt","size":7}}',
  session: '200 {"status":"success","data":{"session":"abc"}}',
  moved: "302 /hello?name=Ada",
  events: "200 event: count\ndata: 1\n\nevent: count\ndata: 2\n\n",
  document: ["200 openapi: 3.1.2", "info:"],
  file: "200 a file\n",
};
