import { createClient } from "sallyport/client";
import { testServer } from "sallyport/testing";
import { afterAll, expect, test } from "vitest";
import { config, routing } from "../src/api.ts";

const api = await testServer(config, routing);
const client = createClient<typeof routing>({ baseUrl: "http://api.test", fetch: api.fetch });

afterAll(() => api.close());

test("a note is added, listed and removed", async () => {
  const added = await client.request("post /v1/notes", { text: " Read the guide " });
  if (!added.ok) throw new Error(JSON.stringify(added.body));
  expect([added.status, added.body.data.text]).toEqual([201, "Read the guide"]);
  const { id } = added.body.data;
  expect(await client.provide("get /v1/notes")).toMatchObject({ data: { notes: [{ id }] } });
  expect((await client.request("delete /v1/notes/:id", { id })).ok).toBe(true);
  expect(await client.provide("get /v1/notes")).toMatchObject({ data: { notes: [] } });
});

test("a second note with the same text is refused", async () => {
  await client.provide("post /v1/notes", { text: "Once" });
  const reply = await client.request("post /v1/notes", { text: "Once" });
  expect(reply.status === 409 && reply.body.error.code).toBe("taken");
});

test("a note that does not exist cannot be removed", async () => {
  const reply = await client.request("delete /v1/notes/:id", { id: 1_000_000 });
  expect(reply.status === 404 && reply.body.error.code).toBe("notFound");
});
