import createHttpError from "http-errors";
import { EventStreamFactory, defaultEndpointsFactory as factory } from "sallyport";
import { createClient, NetworkError, ReplyError, UnsendableInputError } from "sallyport/client";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "./harness.ts";

const refuse = async () => {
  throw createHttpError(401, "No");
};

const routing = {
  slow: factory.build({
    output: z.object({}),
    handler: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return {};
    },
  }),
  refused: factory.build({ output: z.object({}), handler: refuse }),
  events: new EventStreamFactory({ a: z.string() })
    .addMiddleware({ input: z.object({ q: z.string().optional() }), handler: refuse })
    .build({ handler: async () => undefined }),
};

const connect = async (options: object = {}) => {
  const { port } = await start(routing);
  return createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}`, ...options });
};

describe("a time that no timer can measure is no limit", () => {
  test.each([Infinity, 2 ** 31])("timeout: %d", async (timeout) => {
    const client = await connect({ timeout: 1 });
    expect(await client.provide("get /slow", {}, { timeout })).toEqual({
      status: "success",
      data: {},
    });
  });

  test("a wait between attempts lasts until the signal is aborted", async () => {
    const controller = new AbortController();
    const random = vi.spyOn(Math, "random").mockReturnValue(1);
    let attempts = 0;
    const client = createClient<typeof routing>({
      baseUrl: "http://127.0.0.1",
      fetch: async () => {
        attempts++;
        throw new Error("Off");
      },
      retry: { limit: 5, delay: Infinity, maxDelay: Infinity },
    });
    const { signal } = controller;
    const call = client.provide("get /slow", {}, { signal }).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(attempts).toBe(1);
    controller.abort();
    expect(await call).toMatchObject({ code: "SLP_CLIENT_ABORTED" });
    random.mockRestore();
  });
});

describe("onError is called once before an error is thrown", () => {
  const collect = async () => {
    const seen: unknown[] = [];
    return { client: await connect({ onError: (error: unknown) => seen.push(error) }), seen };
  };

  test("by a subscription", async () => {
    const { client, seen } = await collect();
    const error: unknown = await client
      .subscribe("get /events")
      .next()
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ReplyError);
    expect(seen).toEqual([error]);
  });

  test("by a subscription whose input cannot be sent", async () => {
    const { client, seen } = await collect();
    const error: unknown = await client
      .subscribe("get /events", { q: "\uD800" })
      .next()
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(UnsendableInputError);
    expect(seen).toEqual([error]);
  });

  test("by a query or a mutation of TanStack Query", async () => {
    const { client, seen } = await collect();
    const { signal } = new AbortController();
    const errors = [
      await queryOptions(client, "get /refused")
        .queryFn({ signal })
        .catch((one: unknown) => one),
      await mutationOptions(client, "get /refused")
        .mutationFn({})
        .catch((one: unknown) => one),
    ];
    expect(errors).toEqual([expect.any(ReplyError), expect.any(ReplyError)]);
    expect(seen).toEqual(errors);
  });
});

test("a client without a base URL is refused", () => {
  expect(() => createClient({ baseUrl: undefined as never })).toThrow(
    "createClient: `baseUrl` must be a URL, such as https://api.example.com or /api; got undefined.",
  );
});

describe("a NetworkError names the reason", () => {
  const failWith = async (error: Error): Promise<string> => {
    const fetch = async (): Promise<never> => {
      throw error;
    };
    const client = createClient<typeof routing>({ baseUrl: "http://127.0.0.1", fetch });
    try {
      await client.provide("get /slow");
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(NetworkError);
      return (thrown as NetworkError).message;
    }
    throw new Error("The call did not fail");
  };
  const failed = "GET /slow: no complete response: fetch failed";
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:1");
  const circular = new Error("fetch failed");
  circular.cause = circular;

  test.each<[string, Error, string]>([
    [
      "the innermost cause",
      new TypeError("fetch failed", { cause: new Error("a", { cause: refused }) }),
      `${failed}: connect ECONNREFUSED 127.0.0.1:1`,
    ],
    [
      "the first of several errors",
      new TypeError("fetch failed", { cause: new AggregateError([refused, new Error("b")], "") }),
      `${failed}: connect ECONNREFUSED 127.0.0.1:1`,
    ],
    ["an error without a cause", new TypeError("fetch failed"), failed],
    ["an error that is its own cause", circular, failed],
  ])("%s", async (_name, error, message) => {
    expect(await failWith(error)).toBe(message);
  });

  test("a URL without a scheme", async () => {
    const client = createClient<typeof routing>({ baseUrl: "localhost:8791" });
    await expect(client.provide("get /slow")).rejects.toThrow(`${failed}: unknown scheme`);
  });
});
