import { once } from "node:events";
import { request as httpRequest } from "node:http";
import createHttpError from "http-errors";
import {
  DefinitionError,
  EndpointsFactory,
  EventStreamFactory,
  problemResultHandler,
  type Routing,
} from "sallyport";
import { createChannel, type Channel } from "sallyport/channel";
import { createClient } from "sallyport/client";
import { generateClient } from "sallyport/generate-client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { findOperation, generate } from "../../openapi/generate.ts";
import { getRun } from "../streams/event-stream-harness.ts";
import { errorEnvelope, start, type TestServer } from "../harness.ts";

const placed = z.object({ id: z.int() });
const createOrders = (options: { readonly history?: { readonly events: number } } = {}) =>
  createChannel({ events: { placed }, retry: 1000, ...options });

const startFollowing = async (
  channel: Channel<{ placed: typeof placed }>,
  options?: ConstructorParameters<typeof EventStreamFactory>[1],
): Promise<TestServer> => {
  const run = new EventStreamFactory({}, options).build({
    input: z.object({ shop: z.string().optional() }),
    channel,
    topic: ({ input: { shop } }) => {
      if (shop === "secret") throw createHttpError(403, "Not yours");
      // JavaScript allows what the type does not
      return shop?.split(",") as string[];
    },
  });
  const all = new EventStreamFactory({}, options).build({ channel });
  const server = await start({ run, all }, { accessLogger: null });
  server.lines.length = 0;
  return server;
};

/** Follows a stream; `text` returns what has arrived so far. */
const follow = async ({ port }: TestServer, path: string, lastEventId?: string) => {
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const request = httpRequest({ host: "127.0.0.1", port, path, headers, agent: false }).end();
  let text = "";
  let end: "clean" | "broken" | undefined;
  request.on("response", (response) => {
    response.on("data", (chunk: Buffer) => (text += chunk.toString()));
    response.on("error", () => undefined);
    response.on("close", () => (end = response.complete ? "clean" : "broken"));
  });
  request.on("error", () => undefined);
  await expect.poll(() => text).toMatch(/^id: /m);
  return { text: () => text, end: () => end, leave: () => request.destroy() };
};

const textOf = (id: string, data: object): string =>
  `event: placed\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

describe("an endpoint with a channel", () => {
  test("opens its stream at once, with a time to wait between attempts and the latest id", async () => {
    const orders = createOrders();
    const id = await orders.publish("placed", { id: 1 });
    const server = await startFollowing(orders);
    const waits = new Set<number>();
    for (let count = 0; count < 20; count++) {
      const { text, leave } = await follow(server, "/all");
      const [, wait, latest] = /^retry: (\d+)\n\nid: (.+)\n\n$/.exec(text()) ?? [];
      expect(latest).toBe(id);
      waits.add(Number(wait));
      leave();
    }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2000);
    expect(waits.size).toBeGreaterThan(10);
  });

  test("sends the events of its topics, in their order, also to those who come back", async () => {
    const orders = createOrders();
    const server = await startFollowing(orders);
    const one = await follow(server, "/run?shop=a");
    const two = await follow(server, "/run?shop=a,b");
    const all = await follow(server, "/all");
    const ids = [
      await orders.publish("placed", { id: 1 }, { topic: "a" }),
      await orders.publish("placed", { id: 2 }, { topic: "b" }),
      await orders.publish("placed", { id: 3 }),
      await orders.publish("placed", { id: 4 }, { topic: "a" }),
    ];
    const texts = ids.map((id, index) => textOf(id, { id: index + 1 }));
    const [at1, at2, at3, at4] = texts as [string, string, string, string];
    const head = /^retry: .*\n\nid: .*\n\n/;
    await expect.poll(() => one.text().replace(head, "")).toBe(at1 + at4);
    await expect.poll(() => two.text().replace(head, "")).toBe(at1 + at2 + at4);
    await expect.poll(() => all.text().replace(head, "")).toBe(at1 + at2 + at3 + at4);
    const again = await follow(server, "/run?shop=a", ids[0]);
    await expect.poll(() => again.text().replace(/^retry: .*\n\n/, "")).toBe(at4);
  });

  test("keeps the id of a client fresh while only other topics have events", async () => {
    const orders = createOrders({ history: { events: 2 } });
    const server = await startFollowing(orders, { heartbeat: 20 });
    const client = await follow(server, "/run?shop=a");
    let id = "";
    for (let count = 0; count < 5; count++)
      id = await orders.publish("placed", { id: count }, { topic: "b" });
    await expect.poll(client.text).toContain(`id: ${id}\n\n`);
    expect(client.text()).not.toContain("event:");
    const again = await follow(server, "/run?shop=a", id);
    const last = await orders.publish("placed", { id: 9 }, { topic: "a" });
    await expect.poll(again.text).toContain(textOf(last, { id: 9 }));
    expect(again.text()).not.toContain("gap");
  });

  test("sends `gap`, and nothing of the past, to those whose id is too old", async () => {
    const orders = createOrders({ history: { events: 2 } });
    const server = await startFollowing(orders);
    const ids: string[] = [];
    for (let id = 0; id < 4; id++) ids.push(await orders.publish("placed", { id }));
    const [requested, , earliest, latest = ""] = ids;
    const { text } = await follow(server, "/all", requested);
    const gap = JSON.stringify({ requested, earliest, latest });
    expect(text()).toMatch(/^retry: \d+\n\nevent/);
    expect(text()).toContain(`\n\nevent: gap\nid: ${latest}\ndata: ${gap}\n\n`);
    expect(text()).not.toContain("placed");
  });

  test("sends the errors of `topic` in the envelope, and never takes a missing topic for all", async () => {
    const server = await startFollowing(createOrders());
    const secret = await server.send("/run?shop=secret");
    expect([secret.status, secret.json()]).toEqual([403, errorEnvelope("Not yours")]);
    expect((await server.send("/run")).status).toBe(500);
    expect(server.linesOf("error")).toMatchObject([
      { meta: { error: { name: "ServerFault", code: "SLP_CHANNEL_TOPIC" } } },
    ]);
    const factory = new EndpointsFactory(problemResultHandler);
    const other = await startFollowing(createOrders(), { factory });
    expect((await other.send("/run?shop=secret")).json()).toMatchObject({ detail: "Not yours" });
  });

  test("answers HEAD without a body, and has no follower left", async () => {
    const server = await startFollowing(createOrders());
    const { status, text } = await server.send("/all", { method: "HEAD" });
    expect([status, text]).toEqual([200, ""]);
    await server.untilLeft();
  });

  test("ends its streams cleanly when the server closes", async () => {
    const server = await startFollowing(createOrders());
    const client = await follow(server, "/all");
    await server.close();
    await expect.poll(client.end).toBe("clean");
  });
});

test("a slow reader takes little memory, is cut at the bound, and misses nothing once it is back", async () => {
  const pages = createChannel({ events: { page: z.string() }, history: { bytes: 20_000_000 } });
  const run = new EventStreamFactory({}, { maxBuffered: 5_000_000 }).build({ channel: pages });
  let buffered = 0;
  const server = await start({ run }, { accessLogger: null });
  server.lines.length = 0;
  server.servers[0]?.on("request", (_request, response) => {
    const timer = setInterval(() => {
      buffered = Math.max(buffered, response.writableLength);
    }, 1);
    response.once("close", () => clearInterval(timer));
  });
  const socket = await server.open();
  let received = "";
  socket.setEncoding("utf8").on("data", (text: string) => (received += text));
  socket.write(getRun);
  await expect.poll(() => received).toContain("id: ");
  socket.pause();
  const page = "x".repeat(64 * 1024);
  let count = 0;
  while (server.lines.length === 0 && count < 300) {
    await pages.publish("page", `${count++} ${page}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(server.lines).toMatchObject([{ severity: "warn", meta: { path: "/run" } }]);
  // the writable side of the connection, and one event
  expect(buffered).toBeLessThan(200_000);
  socket.resume();
  await once(socket, "close");
  const seen = [...received.matchAll(/data: "(\d+) x+"/g)].map(([, number]) => Number(number));
  const lastEventId = [...received.matchAll(/^id: (.*)\n(?:data: .*"\r?\n|\r?\n)/gm)].at(-1)?.[1];
  expect(seen.length).toBeGreaterThan(5);
  const again = await follow(server, "/run", lastEventId);
  await expect.poll(() => again.text()).toContain(`data: "${count - 1} `);
  for (const [, number] of again.text().matchAll(/data: "(\d+) x+"/g)) seen.push(Number(number));
  expect([...new Set(seen)]).toEqual(Array.from({ length: count }, (_, number) => number));
  expect(again.text()).not.toContain("gap");
});

test("the client receives typed events, `gap` among them, and resumes by itself", async () => {
  const orders = createChannel({ events: { placed }, history: { events: 2 }, retry: 1 });
  const follow = new EventStreamFactory({}).build({ channel: orders });
  const routing = { follow };
  const server = await start(routing);
  const client = createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${server.port}` });
  const first = await orders.publish("placed", { id: 1 });
  for (const id of [2, 3, 4]) await orders.publish("placed", { id });
  const options = { lastEventId: first, delay: 1 };
  const seen: unknown[] = [];
  for await (const { event, data } of client.subscribe("get /follow", {}, options)) {
    if (event === "gap") {
      seen.push(["gap", data.requested === first]);
      void orders.publish("placed", { id: 5 });
    } else {
      seen.push(data.id);
      // while the client waits to reconnect, one more event is published
      server.servers[0]?.closeAllConnections();
      if (data.id < 8) void orders.publish("placed", { id: data.id + 1 });
      else break;
    }
  }
  expect(seen).toEqual([["gap", true], 5, 6, 7, 8]);
});

describe("documents and clients", () => {
  const routing: Routing = {
    follow: new EventStreamFactory({}).build({ channel: createOrders() }),
  };

  test.each([
    ["3.2", "itemSchema"],
    ["3.1", "x-itemSchema"],
    ["3.0", "x-itemSchema"],
  ] as const)("of OpenAPI %s have the events and `gap` in `%s`", (openapi, name) => {
    const document = generate(routing, { openapi });
    const { content } = findOperation(document, "GET /follow").responses["200"] ?? {};
    const media: Record<string, unknown> = content?.["text/event-stream"] ?? {};
    const text = JSON.stringify((media[name] as { readonly oneOf?: unknown }).oneOf);
    // 3.0 cannot describe JSON within a string
    const fields = openapi === "3.0" ? [] : ["requested", "earliest", "latest"];
    for (const field of ["placed", "gap", ...fields]) expect(text).toContain(`"${field}"`);
  });

  test("generated for other programs have `gap`", () => {
    expect(generateClient({ routing })).toMatch(
      /event: "gap";\s+(?:\/\*\*.*\*\/\s+)?data: \{\s+requested: string;/,
    );
  });
});

describe("a definition with a channel", () => {
  const channel = createOrders();
  const handler = (): void => undefined;

  test.each([
    [{ channel, handler }, "SLP_DEFINITION_HANDLER", "got both `channel` and `handler`"],
    [{ channel: {} }, "SLP_DEFINITION_VALUE", "`channel` must be a channel"],
    [{ channel, topic: "a" }, "SLP_DEFINITION_VALUE", "`topic` must be a function"],
    [{ topic: () => "a", handler }, "SLP_DEFINITION_UNKNOWN_KEY", "no key `topic`"],
    [{ handler }, "SLP_DEFINITION_EVENT", "no events for `handler` to emit"],
    [{}, "SLP_DEFINITION_HANDLER", "`handler` must be a function"],
    [{ channel, chanel: 1 }, "SLP_DEFINITION_UNKNOWN_KEY", "Did you mean `channel`?"],
  ])("is refused if it is %j", (definition, code, text) => {
    const build = (): unknown => new EventStreamFactory({}).build(definition as never);
    expect(build).toThrow(DefinitionError);
    expect(build).toThrow(expect.objectContaining({ code }));
    expect(build).toThrow(text);
  });
});
