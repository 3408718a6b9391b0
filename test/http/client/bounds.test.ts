import { defaultEndpointsFactory as factory, EventStreamFactory, ez } from "sallyport";
import { createClient, EventSizeError, PageError, type ClientOptions } from "sallyport/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";

const page = ez.paginated({ style: "cursor", itemSchema: z.int() });
const offsets = ez.paginated({ style: "offset", itemSchema: z.int() });
const routing = {
  notes: new EventStreamFactory({ message: z.string() }).build({ handler: async () => undefined }),
  pages: factory.build({
    ...page,
    handler: async () => ({ items: [], nextCursor: null, limit: 1 }),
  }),
  offsets: factory.build({
    ...offsets,
    handler: async () => ({ items: [], total: 0, limit: 1, offset: 0 }),
  }),
};

type Client = ReturnType<typeof createClient<typeof routing>>;

/** Creates both clients, whose requests are answered one after the other, the last answer repeatedly. */
const create = async (
  kind: string,
  answers: readonly (() => Response)[],
  options: Partial<ClientOptions> = {},
): Promise<{ readonly client: Client; readonly urls: string[] }> => {
  const urls: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    urls.push(url);
    return (answers[Math.min(urls.length, answers.length) - 1] ?? end)();
  };
  const all = { baseUrl: "http://localhost", fetch, ...options };
  if (kind === "inferred") return { client: createClient<typeof routing>(all), urls };
  const generated = await importGenerated<Client>(routing, {});
  return { client: generated.createClient(all), urls };
};

/** Creates a stream that consists of the given chunks. */
const toStream = (chunks: Iterable<string>): Response => {
  const encoder = new TextEncoder();
  const rest = chunks[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const { value, done } = rest.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

/** Creates an answer that asks to wait for some seconds, and whose body breaks off. */
const toBroken = (status: number, seconds: number) => (): Response => {
  const body = new ReadableStream({ start: (controller) => controller.error(new Error("cut")) });
  return new Response(body, { status, headers: { "retry-after": `${seconds}` } });
};

const end = (): Response => new Response(null, { status: 204 });

function* repeat(text: string, times: number): Generator<string> {
  for (let count = 0; count < times; count++) yield text;
}

function* toEvent(piece: string, times: number): Generator<string> {
  yield 'data: "';
  yield* repeat(piece, times);
  yield '"\n\n';
}

/** Runs timers at once, and returns the times, in milliseconds, for which they were set. */
const recordWaits = (): number[] => {
  const waits: number[] = [];
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((
    run: () => void,
    milliseconds: number,
  ) => {
    waits.push(milliseconds);
    queueMicrotask(run);
    return undefined;
  }) as never);
  onTestFinished(() => spy.mockRestore());
  return waits;
};

const clients = ["inferred", "generated"] as const;

describe.each(clients)("a subscription of the %s client", (kind) => {
  const read = async (
    answers: readonly (() => Response)[],
    options: { readonly maxEventSize?: number } = {},
  ): Promise<readonly unknown[]> => {
    const { client } = await create(kind, [...answers, end]);
    const seen: unknown[] = [];
    for await (const { data } of client.subscribe("get /notes", {}, { delay: 1, ...options }))
      seen.push(data);
    return seen;
  };

  test.each([
    ["large pieces", "x".repeat(65_536), 640],
    ["single characters", "x", 500_000],
  ])("reads an event of %s in linear time", async (_name, piece, times) => {
    const [data] = await read([() => toStream(toEvent(piece, times))], { maxEventSize: Infinity });
    expect(data).toHaveLength(piece.length * times);
  });

  test("reads thousands of events in one piece", async () => {
    const seen = await read([() => toStream(["data: 1\n\n".repeat(50_000)])]);
    expect(seen).toHaveLength(50_000);
  });

  test.each(["\n", "\r", "\r\n"])(
    "understands line breaks that are split anywhere (%j)",
    async (line) => {
      const text = ["data: [1,", "data: 2]", "", ": a", "data: 3", "", ""].join(line);
      const whole = await read([() => toStream([text])]);
      const split = await read([() => toStream(text)]);
      expect([whole, split]).toEqual([
        [[1, 2], 3],
        [[1, 2], 3],
      ]);
    },
  );

  test("ends with an error after the events before one that is too large", async () => {
    const small = 'data: "ab"\n\n';
    const { client, urls } = await create(kind, [
      () => toStream([`${small}:${"c".repeat(9)}\n${small}`, ...toEvent("x", 5)]),
    ]);
    const seen: unknown[] = [];
    const run = async (): Promise<void> => {
      const events = client.subscribe("get /notes", {}, { delay: 1, maxEventSize: 10 });
      for await (const { data } of events) seen.push(data);
    };
    await expect(run()).rejects.toMatchObject({
      name: "EventSizeError",
      code: "SLP_CLIENT_EVENT_SIZE",
      message: "GET /notes: an event has more than 10 characters; raise `maxEventSize`",
    });
    expect([seen, urls.length]).toEqual([["ab", "ab"], 1]);
  });

  test.each([
    ["a line without an end", ["data: x", ...repeat("x".repeat(9999), 200)]],
    ["a comment without an end", [":", ...repeat("x".repeat(9999), 200)]],
    ["an event without an end", repeat("data: x\n", 200_000)],
  ])("is bounded by default: %s", async (_name, chunks) => {
    await expect(read([() => toStream(chunks)])).rejects.toThrow("1048576 characters");
  });

  test("is not ended by comments, however many", async () => {
    const comments = [...repeat(`:${"x".repeat(999)}\n`, 2000), "data: 1\n\n"];
    expect(await read([() => toStream(comments)])).toEqual([1]);
  });

  test("waits at least `delay` and at least the server's `retry` before it reopens the stream", async () => {
    const waits = recordWaits();
    const answers = ["0", "5000", "20", "99999999999"].map(
      (retry) => () => toStream([`retry: ${retry}\n\n`]),
    );
    const { client } = await create(kind, [...answers, end]);
    for await (const { data } of client.subscribe("get /notes")) expect(data).toBe("nothing");
    const shortest = [1000, 5000, 1000, 2e9];
    expect(waits.map((wait, index) => wait >= (shortest[index] ?? 0))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(Math.max(...waits)).toBeLessThan(2 ** 31);
  });

  test("waits as long as a 429 or a 503 asks for, and tries again", async () => {
    const waits = recordWaits();
    const answers = [429, 503].map(
      (status) => () => Response.json({}, { status, headers: { "retry-after": "90" } }),
    );
    const { client, urls } = await create(kind, [...answers, end]);
    for await (const { data } of client.subscribe("get /notes")) expect(data).toBe("nothing");
    expect(urls).toHaveLength(3);
    expect(waits.map((wait) => wait >= 90_000)).toEqual([true, true]);
  });

  test("waits as long as a 503 asks for whose body breaks off", async () => {
    const waits = recordWaits();
    const { client, urls } = await create(kind, [toBroken(503, 90), end]);
    for await (const { data } of client.subscribe("get /notes")) expect(data).toBe("nothing");
    expect(urls).toHaveLength(2);
    expect(waits.map((wait) => wait >= 90_000)).toEqual([true]);
  });

  test.each([429, 503])(
    "does not wait for the body of a %i longer than allowed",
    async (status) => {
      const answers = [() => new Response(new ReadableStream(), { status }), end];
      const late = await create(kind, answers, { timeout: 20 });
      for await (const { data } of late.client.subscribe("get /notes", {}, { delay: 1 }))
        expect(data).toBe("nothing");
      expect(late.urls).toHaveLength(2);
      const aborted = await create(kind, answers);
      const options = { delay: 1, signal: AbortSignal.timeout(20) };
      for await (const { data } of aborted.client.subscribe("get /notes", {}, options))
        expect(data).toBe("nothing");
      expect(aborted.urls).toHaveLength(1);
    },
  );

  test("waits longer with each connection that fails", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(1);
    onTestFinished(() => random.mockRestore());
    const waits = recordWaits();
    const answers = Array.from(repeat("", 7), () => () => new Response("", { status: 503 }));
    const { client } = await create(kind, [...answers, end]);
    for await (const { data } of client.subscribe("get /notes")) expect(data).toBe("nothing");
    expect(waits).toEqual([2000, 3000, 5000, 9000, 17_000, 31_000, 31_000]);
  });
});

describe.each(clients)("iteration with the %s client", (kind) => {
  const answer = (data: object) => () => Response.json({ status: "success", data });

  const cycle = ["a", "b", "c"].map((nextCursor) => answer({ items: [1], limit: 1, nextCursor }));
  const repeat3 = Array.from({ length: 5 }, () => cycle).flat();
  const empty = Array.from({ length: 200 }, (_, at) =>
    answer({ items: [], limit: 1, nextCursor: String(at) }),
  );
  const same = [answer({ items: [1], limit: 1, nextCursor: "a" })];
  const still = [answer({ items: [1], limit: 1, offset: 0, total: 5 })];
  const none = [answer({ items: [], limit: 1, offset: 0, total: 5 })];
  test.each([
    ["a cursor comes again", same, 'two pages name {"cursor":"a"}', 2],
    ["cursors come in a circle", repeat3, 'two pages name {"cursor":"a"}', 7],
    ["an offset stands still", still, 'two pages name {"offset":1}', 2],
    ["an empty page claims more", none, 'an empty page names {"offset":1}', 1],
    ["empty pages never end", empty, 'an empty page names {"cursor":"100"}', 101],
  ])("ends with an error when %s", async (_name, answers, reason, count) => {
    const errors: unknown[] = [];
    const { client, urls } = await create(kind, answers, {
      onError: (error) => errors.push(error),
    });
    const seen: unknown[] = [];
    const run = async (): Promise<void> => {
      for await (const one of client.iterate("get /pages").pages()) seen.push(one);
    };
    await expect(run()).rejects.toMatchObject({
      name: "PageError",
      code: "SLP_CLIENT_PAGE",
      message: `GET /pages: no progress: ${reason} as the next page`,
    });
    expect([seen.length, urls.length, errors.length]).toEqual([count, count, 1]);
  });

  test("continues after an empty page that leads to another one", async () => {
    const { client } = await create(kind, [
      answer({ items: [1], limit: 1, nextCursor: "a" }),
      answer({ items: [], limit: 1, nextCursor: "b" }),
      answer({ items: [2], limit: 1, nextCursor: null }),
    ]);
    const seen: unknown[] = [];
    for await (const item of client.iterate("get /pages")) seen.push(item);
    expect(seen).toEqual([1, 2]);
  });
});

test("the errors are classes of `sallyport/client`", async () => {
  const { client } = await create("inferred", [() => toStream(["data: 1"])]);
  const events = client.subscribe("get /notes", {}, { maxEventSize: 1 });
  await expect(events.next()).rejects.toBeInstanceOf(EventSizeError);
  const cursor = { items: [], limit: 1, offset: 0, total: 5 };
  const pages = await create("inferred", [
    () => Response.json({ status: "success", data: cursor }),
  ]);
  const all = pages.client.iterate("get /pages")[Symbol.asyncIterator]();
  await expect(all.next()).rejects.toBeInstanceOf(PageError);
});

describe.each(clients)("a retry of the %s client after a reply that breaks off", (kind) => {
  const retry = { limit: 3, maxDelay: 100_000 };

  test.each([
    [429, 90_000],
    [503, 90_000],
    // only a reply that asks to come back later has a say in it
    [200, 0],
  ])("waits as long as a %i asks for", async (status, least) => {
    const waits = recordWaits();
    const random = vi.spyOn(Math, "random").mockReturnValue(0);
    onTestFinished(() => random.mockRestore());
    const { client } = await create(kind, [toBroken(status, 90), end], { retry });
    await client.request("get /pages");
    expect(waits).toEqual([least]);
  });

  test("is not made if that is too long to wait", async () => {
    const { client, urls } = await create(kind, [toBroken(503, 101), end], { retry });
    await expect(client.request("get /pages")).rejects.toMatchObject({
      code: "SLP_CLIENT_NETWORK",
    });
    expect(urls).toHaveLength(1);
  });
});
