import { defaultEndpointsFactory as factory, EventStreamFactory, type Routing } from "sallyport";
import {
  createClient,
  type ClientOptions,
  type Fetch,
  type RouteDeprecation,
} from "sallyport/client";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";
import { start } from "../harness.ts";

const keyed = factory.addMiddleware(idempotency({ store: memoryStore(), scope: () => "all" }));

/** Creates endpoints that count their runs, and whose runs end when the gate does. */
const createOrders = (gate: Promise<void> = Promise.resolve()) => {
  const runs = vi.fn();
  const order = keyed.build({
    method: ["post", "patch", "put", "get"],
    input: z.object({ name: z.string().default("a") }),
    output: z.object({ key: z.string() }),
    handler: async ({ request }) => {
      runs();
      await gate;
      return { key: request.get("idempotency-key") ?? "none" };
    },
  });
  return { runs, routing: { order: { post: order, patch: order, put: order, get: order } } };
};

/** A `fetch` that records the keys, and loses the responses to the first requests. */
const createFetch = (lost: number) => {
  const keys: (string | null)[] = [];
  const send: Fetch = async (url, init) => {
    keys.push(new Headers(init.headers).get("idempotency-key"));
    const response = await fetch(url, init);
    if (keys.length > lost) return response;
    await response.text();
    throw new TypeError("The response is lost");
  };
  return { keys, send };
};

const retry = { limit: 5, delay: 5 };
const random = /^[\da-z]+(?:-[\da-z]+){3}$/;

interface PlainClient {
  readonly provide: (key: string, input?: object, options?: object) => Promise<unknown>;
}

type Create = (routing: Routing, options: ClientOptions) => Promise<PlainClient>;

describe.each<[string, Create]>([
  ["an inferred client", async (_routing, options) => createClient(options) as never],
  [
    "a generated client",
    async (routing, options) => {
      const created = await importGenerated<PlainClient>(routing, {});
      return created.createClient(options);
    },
  ],
])("%s with idempotency: true", (_name, create) => {
  const connect = async (
    { routing }: { readonly routing: Routing },
    options: Partial<ClientOptions> = {},
  ) => {
    const { port } = await start(routing);
    const baseUrl = `http://127.0.0.1:${port}`;
    return create(routing, { baseUrl, idempotency: true, retry, ...options });
  };

  test.each(["post", "patch"])("retries %s with one key, so it runs once", async (method) => {
    const orders = createOrders();
    const { keys, send } = createFetch(2);
    const client = await connect(orders, { fetch: send });
    const key = expect.stringMatching(random) as string;
    expect(await client.provide(`${method} /order`)).toEqual({ status: "success", data: { key } });
    expect(orders.runs).toHaveBeenCalledOnce();
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    await client.provide(`${method} /order`);
    expect(new Set(keys).size).toBe(2);
  });

  test("creates keys on pages without HTTPS, which have no crypto.randomUUID", async () => {
    const getRandomValues = crypto.getRandomValues.bind(crypto);
    vi.stubGlobal("crypto", { getRandomValues });
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = await connect(createOrders());
    expect(await client.provide("post /order")).toMatchObject({ status: "success" });
  });

  test("waits for an attempt that is still running", async () => {
    let open = (): void => undefined;
    const orders = createOrders(new Promise((resolve) => (open = resolve)));
    const statuses: number[] = [];
    const client = await connect(orders, {
      timeout: 500,
      onResponse: (_attempt, { status }) => {
        statuses.push(status);
        open();
      },
    });
    expect(await client.provide("post /order")).toMatchObject({ status: "success" });
    expect(statuses).toEqual([409, 200]);
    expect(orders.runs).toHaveBeenCalledOnce();
  });

  test("lets headers give the key, and a call switch it off", async () => {
    const { keys, send } = createFetch(1);
    const client = await connect(createOrders(), { fetch: send });
    const headers = { "Idempotency-Key": "order-7" };
    expect(await client.provide("post /order", {}, { headers })).toMatchObject({
      data: { key: "order-7" },
    });
    await client.provide("post /order", {}, { idempotency: false });
    expect(keys).toEqual(["order-7", "order-7", null]);
  });

  test("adds no key to other methods", async () => {
    const { keys, send } = createFetch(1);
    const client = await connect(createOrders(), { fetch: send });
    await client.provide("put /order");
    await client.provide("get /order");
    expect(keys).toEqual([null, null, null]);
  });

  test("retries only the methods that `retry` names", async () => {
    const { keys, send } = createFetch(1);
    const client = await connect(createOrders(), {
      fetch: send,
      retry: { ...retry, methods: ["get"] },
    });
    await expect(client.provide("post /order")).rejects.toThrow("lost");
    expect(keys).toHaveLength(1);
  });

  test("is off by default", async () => {
    const { keys, send } = createFetch(1);
    const client = await connect(createOrders(), { fetch: send, idempotency: undefined });
    await expect(client.provide("post /order")).rejects.toThrow("lost");
    expect(keys).toEqual([null]);
  });
});

test("`idempotency` must be a boolean", () => {
  const options = { baseUrl: "http://localhost", idempotency: "yes" as never };
  expect(() => createClient(options)).toThrow("`idempotency` is not a boolean");
});

describe("onDeprecated", () => {
  const dates = { since: "2023-06-30", sunset: "2099-12-31" };
  const input = z.object({ id: z.string() });
  const routing = {
    "old/:id": factory.build({
      deprecated: { ...dates, policy: "/policy,a", replacement: "/v2/:id" },
      input,
      handler: () => ({}),
    }),
    since: factory.build({ deprecated: { since: "2023-06-30" }, handler: () => ({}) }),
    stream: new EventStreamFactory({ a: z.string() }).build({
      deprecated: dates,
      handler: ({ ctx: { emit } }) => emit("a", "b"),
    }),
    flag: factory.build({
      handler: ({ response }) => {
        response.set({ Deprecation: "true", Sunset: "soon" });
        return {};
      },
    }),
    odd: factory.build({
      handler: ({ response }) => {
        const other = `</a>; rel="x-successor-version", </b>; title="successor-version"; rel=next`;
        response.set({ Deprecation: "@99999999999999999", Sunset: "99999999" });
        response.set("Link", `${other}, </c>; rel="next Successor-Version"`);
        return {};
      },
    }),
    current: factory.build({ handler: () => ({}) }),
  };

  test("is told once of each route whose responses say so", async () => {
    const { port } = await start(routing);
    const told: RouteDeprecation[] = [];
    const client = createClient<typeof routing>({
      baseUrl: `http://127.0.0.1:${port}`,
      onDeprecated: (deprecation) => told.push(deprecation),
    });
    for (const id of ["1", "2"]) await client.provide("get /old/:id", { id });
    await client.provide("get /current");
    await client.provide("get /since");
    await client.provide("get /flag");
    await client.provide("get /odd");
    for await (const _event of client.subscribe("get /stream")) break;
    const since = new Date("2023-06-30");
    const sunset = new Date("2099-12-31");
    const none = { since: undefined, sunset: undefined, replacement: undefined };
    expect(told).toEqual([
      { method: "GET", path: "/old/:id", since, sunset, replacement: "/v2/1" },
      { ...none, method: "GET", path: "/since", since },
      { ...none, method: "GET", path: "/flag" },
      { ...none, method: "GET", path: "/odd", replacement: "/c" },
      { ...none, method: "GET", path: "/stream", since, sunset },
    ]);
  });

  test("that throws ends the call, without a retry", async () => {
    const { port } = await start(routing);
    const error = new TypeError("deprecated");
    const onDeprecated = vi.fn(() => {
      throw error;
    });
    const baseUrl = `http://127.0.0.1:${port}`;
    const client = createClient<typeof routing>({ baseUrl, retry, onDeprecated });
    await expect(client.provide("get /since")).rejects.toBe(error);
    expect(onDeprecated).toHaveBeenCalledOnce();
    expect(await client.provide("get /since")).toMatchObject({ status: "success" });
  });
});
