import { createClient } from "sallyport/client";
import { testServer } from "sallyport/testing";
import { afterAll, expect, test } from "vitest";
import { config, routing } from "../src/api.ts";

const api = await testServer(config, routing);
const client = createClient<typeof routing>({ baseUrl: "http://api.test", fetch: api.fetch });

afterAll(() => api.close());

test("greets in the language of the path", async () => {
  const response = await client.provide("get /v1/greetings/:language", {
    language: "fr",
    name: "Ada",
  });
  expect(response).toEqual({ status: "success", data: { greeting: "Bonjour, Ada!" } });
});

test("names the languages that it knows", async () => {
  const reply = await client.request("get /v1/greetings/:language", {
    language: "xx",
    name: "Ada",
  });
  expect(reply.status === 404 && reply.body.error).toMatchObject({
    code: "unknownLanguage",
    data: { known: ["en", "fr"] },
  });
});

test("rejects an empty name", async () => {
  const reply = await client.request("get /v1/greetings/:language", { language: "en", name: "" });
  expect(reply.status).toBe(400);
});
