import { syncBuiltinESMExports } from "node:module";
import { createClient } from "sallyport/client";
import { expect, test, vi } from "vitest";
import { apiKey } from "../../fixtures/users-api/src/factories.ts";
import { routing } from "../../fixtures/users-api/src/routing.ts";
import { errorEnvelope, start, successEnvelope, type Answer } from "../harness.ts";

const key = { "x-api-key": apiKey };
const ada = { name: "Ada", email: "ada@example.com" };

const dataOf = (answer: Answer): Record<string, unknown> =>
  (answer.json() as { data: Record<string, unknown> }).data;

test("the users API creates, reads, lists, changes, exports and deletes users", async () => {
  const server = await start(routing, { cors: true });
  expect((await server.send("/v1/users")).json()).toEqual(
    successEnvelope({ users: [], total: 0, limit: 20, offset: 0 }),
  );

  const refused = await server.send("/v1/users", { method: "POST", body: ada });
  expect(refused.status).toBe(401);
  expect(refused.json()).toEqual(errorEnvelope("Send a valid key in the header x-api-key"));

  const created = await server.send("/v1/users", { method: "POST", headers: key, body: ada });
  expect(created.status).toBe(201);
  const user = dataOf(created);
  expect(user).toMatchObject({ ...ada, role: "member" });
  const path = `/v1/users/${String(user["id"])}`;

  const again = await server.send("/v1/users", { method: "POST", headers: key, body: ada });
  expect(again.status).toBe(409);
  expect(again.json()).toEqual({
    status: "error",
    error: { message: "The e-mail address is taken", data: { email: ada.email } },
  });

  expect(dataOf(await server.send(path))).toEqual(user);
  const changed = await server.send(path, {
    method: "PATCH",
    headers: key,
    body: { role: "admin", name: "=Ada" },
  });
  expect(dataOf(changed)).toEqual({ ...user, role: "admin", name: "=Ada" });
  expect(dataOf(await server.send("/v1/users?limit=1&offset=0"))).toMatchObject({ total: 1 });

  const csv = await server.send("/v1/exports/users.csv");
  expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
  expect(csv.text).toBe(
    `id,name,email,role\r\n"${String(user["id"])}","'=Ada","ada@example.com","admin"\r\n`,
  );

  const removed = await server.send(path, { method: "DELETE", headers: key });
  expect([removed.status, removed.json()]).toEqual([200, successEnvelope({})]);
  expect((await server.send(path)).status).toBe(404);
});

test("the users API accepts a picture, sends it back, and notifies all clients that watch", async () => {
  const { port } = await start(routing, { cors: true, upload: true });
  const client = createClient<typeof routing>({
    baseUrl: `http://127.0.0.1:${port}`,
    headers: key,
  });
  const controller = new AbortController();
  const events = client.subscribe("get /v1/users/watch", {}, { signal: controller.signal });
  const first = events.next();
  // an event sent before the stream is open is lost, so the test causes several
  const created = await client.provide("post /v1/users", { name: "Bo", email: "bo@example.com" });
  if (created.status !== "success") throw new Error(created.error.message);
  const { id } = created.data;
  const picture = new File(["\x89PNG"], "bo.png", { type: "image/png" });
  const seen = first.then(({ value }) => value);
  const timer = setInterval(() => void client.provide("patch /v1/users/:id", { id }), 20);
  expect(await seen).toMatchObject({ event: "saved", data: { id } });
  clearInterval(timer);
  controller.abort();

  const sent = await client.provide("post /v1/users/:id/picture", { id, picture });
  if (sent.status !== "success") throw new Error(sent.error.message);
  const answer = await fetch(`http://127.0.0.1:${port}${sent.data.picture}`);
  expect(answer.headers.get("content-type")).toBe("image/png");
  expect(await answer.arrayBuffer()).toEqual(await picture.arrayBuffer());

  const text = new File(["a"], "bo.txt", { type: "text/plain" });
  expect(await client.provide("post /v1/users/:id/picture", { id, picture: text })).toMatchObject({
    error: { issues: [{ path: ["picture"], message: "Choose a PNG" }] },
  });
});

test("the users API names the invalid field in its error", async () => {
  const server = await start(routing, { cors: true });
  for (const [target, message] of [
    ["/v1/users/not-an-id", "id: Invalid UUID"],
    ["/v1/users?limit=1e3", "limit: Invalid input: expected a plain integer"],
    ["/v1/users?limit=101", "limit: Too big: expected number to be <=100"],
  ] as const) {
    const answer = await server.send(target);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: { message } });
  }
});

test("R15: the users API compares digests of equal length in constant time", async () => {
  const crypto = process.getBuiltinModule("node:crypto");
  const compare = vi.spyOn(crypto, "timingSafeEqual");
  syncBuiltinESMExports();
  try {
    const server = await start(routing, { cors: true });
    const near = `${apiKey.slice(0, -1)}x`;
    const keys = ["", "x", near, `${apiKey}x`, apiKey.toUpperCase(), "ä".repeat(500), apiKey];
    const statuses: number[] = [];
    for (const key of keys) {
      const headers = { "x-api-key": encodeURI(key) };
      statuses.push((await server.send("/v1/users", { method: "POST", headers, body: {} })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 400]);
    expect(compare).toHaveBeenCalledTimes(keys.length);
    for (const [one, other] of compare.mock.calls)
      expect([one.byteLength, other.byteLength]).toEqual([32, 32]);
  } finally {
    compare.mockRestore();
    syncBuiltinESMExports();
  }
});
