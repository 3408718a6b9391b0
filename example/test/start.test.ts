import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient } from "sallyport/client";
import { expect, onTestFinished, test } from "vitest";
import { addSecrets, readEnvironment } from "../src/environment.ts";
import type { routing } from "../src/routing.ts";
import { toRequests, toWelcome } from "../src/welcome.ts";

const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "book-shop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Starts the shop as a process without a terminal; `stop` resolves to the exit code. */
const start = async (folder: string) => {
  const child = spawn(process.execPath, ["--import", "tsx", "example/src/main.ts"], {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    env: { PATH: process.env["PATH"], PORT: "0", DATA_FOLDER: folder },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  const url = (): string | undefined => /open at (http:[^"]+)"/.exec(lines.join("\n"))?.[1];
  await expect.poll(url, { timeout: 60_000 }).toBeDefined();
  const stop = async (): Promise<unknown> => {
    child.kill("SIGINT");
    return ((await ended) as unknown[])[0];
  };
  return { url: url() ?? "", lines, stop };
};

test("without a terminal, the shop logs JSON; a restart logs nobody out", async () => {
  const folder = createFolder();
  const first = await start(folder);
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = addSecrets(
    readEnvironment({ DATA_FOLDER: folder }),
  );
  const visitor = createClient<typeof routing>({ baseUrl: first.url });
  const entered = await visitor.request("post /v2/session", { email, password });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect(await first.stop()).toBe(0);
  for (const line of first.lines) expect(JSON.parse(line)).toHaveProperty("msg");
  expect(first.lines.join()).not.toContain(password);
  // what takes longest is announced
  expect(first.lines.join()).toContain("Creating the database in ");

  const second = await start(folder);
  const customer = createClient<typeof routing>({ baseUrl: second.url, headers: { cookie } });
  expect(await customer.provide("get /v2/me")).toMatchObject({ data: { email, role: "admin" } });
  expect(second.lines.join()).toContain("Opening the database in ");
  expect(await second.stop()).toBe(0);
}, 120_000);

test("the requests to try are those of the address", () => {
  expect(
    toRequests("http://localhost:1").match(/curl -s '?http:\/\/localhost:1\/v2\//g),
  ).toHaveLength(3);
});

test("secrets that are given are not kept", () => {
  const folder = join(createFolder(), "none");
  const given = { SESSION_SECRET: "x".repeat(32), ADMIN_PASSWORD: "x".repeat(12) };
  expect(addSecrets(readEnvironment({ DATA_FOLDER: folder, ...given }))).toMatchObject(given);
  expect(() => rmSync(folder)).toThrow("ENOENT");
});

test("a frame tells the person who started the shop where to go", () => {
  const shop = { url: "http://localhost:8090", page: true, login: "ada, password secret" };
  expect(toWelcome(shop).split("\n").slice(1, 6)).toEqual([
    `╭${"─".repeat(46)}╮`,
    "│  Page            http://localhost:8090       │",
    "│  Documentation   http://localhost:8090/docs  │",
    "│  Administrator   ada, password secret        │",
    `╰${"─".repeat(46)}╯`,
  ]);
  expect(toWelcome({ ...shop, page: false })).toContain("npm run build");
});
