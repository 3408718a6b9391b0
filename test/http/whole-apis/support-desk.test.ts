import { QueryClient } from "@tanstack/query-core";
import { createClient, type InferredClient } from "sallyport/client";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { expect, test } from "vitest";
import { importGenerated } from "../generated-client.ts";
import { start } from "../harness.ts";
import { createDesk, deskKey, ids } from "../support-desk.ts";

type DeskClient = InferredClient<ReturnType<typeof createDesk>["routing"]>;

const [id = "", other = "", last = ""] = ids;
const nobody = id.replace("1", "9");

/** Starts a desk, and creates a client of it. */
const open = async (kind: string): Promise<DeskClient> => {
  const { routing, config } = createDesk();
  const { port } = await start(routing, { errorHandler: config.errorHandler });
  const options = { baseUrl: `http://127.0.0.1:${port}`, headers: { "x-desk-key": deskKey } };
  if (kind === "inferred") return createClient<typeof routing>(options);
  return (await importGenerated<DeskClient>(routing, config)).createClient(options);
};

test.each(["inferred", "generated"])("the %s client speaks both envelopes", async (kind) => {
  const client = await open(kind);
  const one = await client.provide("get /v1/tickets/:id", { id });
  expect(one).toMatchObject({ status: "success", data: { id, subject: "Ticket 1" } });
  expect(await client.provide("get /v2/tickets/:id", { id })).toMatchObject({ id });
  expect(await client.provide("get /v1/tickets/:id", { id: nobody })).toMatchObject({
    error: { message: "There is no such ticket" },
  });
  expect(await client.provide("get /v2/tickets/:id", { id: nobody })).toMatchObject({
    ...{ status: 404, detail: "There is no such ticket" },
  });
  const stranger = await client.request(
    "get /v2/tickets/:id",
    { id },
    { headers: { "x-desk-key": "" } },
  );
  expect([stranger.status, stranger.body]).toMatchObject([401, { detail: "Who are you?" }]);
  const found: string[] = [];
  for await (const { subject } of client.iterate("get /v1/tickets", { limit: 2 }))
    found.push(subject);
  expect(found).toEqual(["Ticket 1", "Ticket 2", "Ticket 3"]);
});

test.each(["inferred", "generated"])(
  "the %s client sends If-Match and reads etag",
  async (kind) => {
    const client = await open(kind);
    const read = await client.request("get /v2/tickets/:id", { id: other });
    const tag = read.ok ? read.headers.get("etag") : "";
    expect(tag).toBe('"1"');
    const input = { id: other, subject: "New" };
    const change = (match: string) =>
      client.request("put /v2/tickets/:id", input, { headers: { "if-match": match } });
    const changed = await change(tag);
    expect(changed.ok && [changed.headers.get("etag"), changed.body.subject]).toEqual([
      '"2"',
      "New",
    ]);
    const late = await change(tag);
    expect(late.status === 412 && late.body.data.current).toBe('"2"');
    const wrong = await change("2");
    expect(wrong.status === 400 && wrong.body.issues?.[0]?.path).toEqual(["headers", "if-match"]);
    const optional = await client.provide("put /v1/tickets/:id", input);
    expect(optional).toMatchObject({ data: { subject: "New" } });
    const stale = await client.request("put /v1/tickets/:id", input, {
      headers: { "if-match": tag },
    });
    expect(stale.status === 412 && stale.body.error.data.current).toBe('"3"');
  },
);

test.each(["inferred", "generated"])("the %s client sends a middleware's field", async (kind) => {
  const client = await open(kind);
  const teamOf = async (team?: string) => {
    const headers = { "x-team": team };
    const reply = await client.request("get /v2/tickets/:id", { id }, { headers });
    return reply.ok ? reply.headers.get("x-team") : reply.body;
  };
  expect([await teamOf(), await teamOf("blue")]).toEqual([null, "blue"]);
  expect(await teamOf("green")).toMatchObject({ issues: [{ path: ["headers", "x-team"] }] });
});

test.each(["inferred", "generated"])("the %s client downloads any type", async (kind) => {
  const client = await open(kind);
  for (const [name, type] of Object.entries({ notes: "text/plain", data: "application/json" })) {
    const input = { id, name: name as "data" | "notes" };
    const content = await client.provide("get /v2/tickets/:id/files/:name", input);
    if (!(content instanceof Blob)) throw new Error(content.detail);
    expect(content.type).toContain(type);
    expect(await content.text()).toContain("createDesk");
  }
  const input = { id: nobody, name: "photo" } as const;
  const reply = await client.request("get /v2/tickets/:id/files/:name", input);
  expect(reply.status === 404 && reply.body.detail).toBe("There is no such ticket");
});

test.each(["inferred", "generated"])("the %s client follows events", async (kind) => {
  const client = await open(kind);
  const follow = async (wanted: string) => {
    const options = { lastEventId: "7" };
    for await (const { event, data } of client.subscribe(
      "get /v2/tickets/:id/watch",
      { id: wanted },
      options,
    ))
      return [event, data.subject];
    return [];
  };
  expect(await follow(last)).toEqual(["changed", "Ticket 3 after 7"]);
  await expect(follow(nobody)).rejects.toMatchObject({
    ...{ name: "ReplyError", status: 404, message: "There is no such ticket" },
    body: { status: 404, title: "Not Found" },
  });
});

test.each(["inferred", "generated"])("TanStack Query has typed errors: %s", async (kind) => {
  const client = await open(kind);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const query = queryOptions(client, "get /v2/tickets/:id", { id });
  expect((await queries.fetchQuery(query)).subject).toBe("Ticket 1");
  const missing = queryOptions(client, "get /v2/tickets/:id", { id: nobody });
  await expect(queries.fetchQuery(missing)).rejects.toMatchObject({ status: 404 });
  const stale = mutationOptions(client, "put /v2/tickets/:id", { headers: { "if-match": '"9"' } });
  type Failure = Parameters<NonNullable<typeof stale.retryDelay>>[1];
  const failure = await stale.mutationFn({ id, subject: "a" }).catch((error: Failure) => error);
  if (!("code" in failure && failure.code === "SLP_CLIENT_REPLY" && failure.status === 412))
    throw new Error("The ticket was changed");
  expect([failure.message, failure.body.data.current]).toEqual(["Changed", '"1"']);
  const fresh = mutationOptions(client, "put /v2/tickets/:id", ({ subject }) => ({
    headers: { "if-match": subject === "b" ? '"1"' : '"0"' },
  }));
  expect((await fresh.mutationFn({ id, subject: "b" })).subject).toBe("b");
});
