import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createClient } from "sallyport/client";
import { testEndpoint } from "sallyport/testing";
import { afterAll, expect, test } from "vitest";
import type { routing } from "../src/api.ts";
import { application } from "../src/mount-api.ts";
import { readTask } from "../src/read-task.ts";

const server = application.listen(0);
await once(server, "listening");
const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`;
const headers = { authorization: "Bearer secret" };
const client = createClient<typeof routing>({ baseUrl, headers });

afterAll(() => server.close());

test("a task of the caller, whom the application's middleware knows", async () => {
  const response = await client.provide("get /v1/tasks/:id", { id: 1 });
  const data = { id: 1, title: "Write the first endpoint" };
  expect(response).toEqual({ status: "success", data });
});

test("a task of somebody else is not found", async () => {
  const reply = await client.request("get /v1/tasks/:id", { id: 2 });
  expect(reply.status === 404 && reply.body.error).toMatchObject({ code: "notFound" });
});

test("without a token, the API responds with 401", async () => {
  const reply = await createClient<typeof routing>({ baseUrl }).request("get /v1/tasks/:id", {
    id: 1,
  });
  expect(reply.status === 401 && reply.body.error).toMatchObject({ code: "unknownCaller" });
});

test("the application's own route is still there", async () => {
  const response = await fetch(`${baseUrl}/whoami`, { headers });
  expect(await response.json()).toEqual({ name: "ada" });
});

test("an endpoint can be tested without its middlewares", async () => {
  const { responseMock } = await testEndpoint({
    endpoint: readTask,
    ctx: { caller: { name: "grace" } },
    requestProps: { params: { id: "2" } },
  });
  expect(responseMock._getJSONData()).toMatchObject({ data: { id: 2 } });
});
