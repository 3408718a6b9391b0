import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "sallyport/client";
import { generateOpenApi } from "sallyport/openapi";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { routing as shopRouting } from "../../../example/src/routing.ts";
import { mockServer, type MockServer } from "../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "mocked-shop-"));
// before the shop reads its environment
Object.assign(process.env, { DATA_FOLDER: folder, LOG_LEVEL: "silent" });
delete process.env["DATABASE_URL"];
delete process.env["REDIS_URL"];

let mock: MockServer;
let paths: readonly (readonly [path: string, statuses: readonly string[]])[];

beforeAll(async () => {
  const { routing, config } = await import("../../../example/src/api.ts");
  mock = await mockServer({ routing, config });
  const document = generateOpenApi({ routing, config, info: { title: "Shop", version: "1" } });
  paths = Object.entries(document.paths).flatMap(([path, operations]) => {
    const { get } = operations as { readonly get?: { readonly responses: object } };
    return get ? [[path, Object.keys(get.responses)] as const] : [];
  });
});
afterAll(async () => {
  await mock.close();
  expect(existsSync(join(folder, "database"))).toBe(false);
  rmSync(folder, { recursive: true, force: true });
});

const id = "0b5e1a36-7c1e-4a8e-9a60-3a6f2f1f4f10";
const headers = { authorization: "Bearer any" };

test("the shop answers each GET on a mock, without a database", async () => {
  expect(paths.length).toBeGreaterThan(10);
  for (const [path, statuses] of paths) {
    const { status, body } = await mock.fetch(path.replaceAll(/\{\w+\}/g, id), { headers });
    await body?.cancel();
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(statuses).toContain(String(status));
  }
});

test("the shop asks those who are not logged in for their account", async () => {
  expect((await mock.fetch("/v2/me")).status).toBe(401);
  expect((await mock.fetch("/v2/books")).status).toBe(200);
});

test("the books of the shop end", async () => {
  const client = createClient<typeof shopRouting>({
    baseUrl: "http://localhost",
    fetch: mock.fetch,
  });
  const titles: string[] = [];
  for await (const { title } of client.iterate("get /v2/books", { limit: 20 })) titles.push(title);
  expect(titles.length).toBeGreaterThan(20);
  expect(new Set(titles)).toEqual(new Set(["Pride and Prejudice"]));
});

test("each error of the shop can be chosen", async () => {
  const code = async (status: number, init: RequestInit = {}) => {
    const response = await mock.fetch(`/v2/books/${id}`, {
      ...init,
      headers: { prefer: `code=${status}` },
    });
    return [response.status, ((await response.json()) as { error: { code?: string } }).error.code];
  };
  expect(await code(404)).toEqual([404, "noBook"]);
});
