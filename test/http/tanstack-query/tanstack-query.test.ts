import {
  hashKey,
  MutationObserver,
  QueryClient,
  QueryObserver,
  skipToken,
  type InfiniteData,
} from "@tanstack/query-core";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  ez,
  problemEndpointsFactory,
  type ErrorEnvelope,
} from "sallyport";
import { createClient, ReplyError } from "sallyport/client";
import {
  infiniteQueryOptions,
  mutationOptions,
  queryKey,
  queryOptions,
} from "sallyport/tanstack-query";
import { afterEach, describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const itemSchema = z.object({ n: z.number() });
const numbers = Array.from({ length: 25 }, (_, n) => ({ n }));
const names = ["Ada"];
const ada = { name: "Ada" };
let [asked, aborted] = [0, 0];
const byId = z.object({ id: z.string() });
const note = z.object({ text: z.string() });
let [text, version] = ["a", 1];

const routing = {
  v1: {
    users: {
      get: factory.build({
        input: z.object({ prefix: z.string().optional() }),
        output: z.object({ names: z.array(z.string()) }),
        handler: async () => ({ names }),
      }),
      post: factory.build({
        method: "post",
        errors: { 409: { description: "Taken", schema: z.object({ since: z.date() }) } },
        input: z.object({ name: z.string().min(2) }),
        output: z.object({ name: z.string() }),
        handler: async ({ input: { name } }) => {
          names.push(name);
          return { name };
        },
      }),
      ":id": problemEndpointsFactory.build({
        input: z.object({ id: z.string() }),
        output: z.object({ id: z.string(), at: z.date().transform((at) => at.toISOString()) }),
        handler: async ({ input: { id } }) => {
          if (id === "0") throw createHttpError(404, "No such user");
          return { id, at: new Date(0) };
        },
      }),
    },
    offset: factory.build({
      ...ez.paginated({ style: "offset", itemSchema, itemsName: "numbers" }),
      handler: async ({ input: { limit, offset } }) => ({
        ...{ numbers: numbers.slice(offset, offset + limit), total: 25, limit, offset },
      }),
    }),
    cursor: factory.build({
      ...ez.paginated({ style: "cursor", itemSchema }),
      handler: async ({ input: { limit, cursor = "0" } }) => {
        const end = Number(cursor) + limit;
        const nextCursor = end < 25 ? String(end) : null;
        return { items: numbers.slice(Number(cursor), end), nextCursor, limit };
      },
    }),
    notes: {
      ":id": {
        get: factory.build({
          input: byId,
          output: note,
          responseHeaders: z.object({ etag: z.string(), "x-hint": z.string().optional() }),
          version: () => String(version),
          handler: async ({ response }) => {
            response.cookie("seen", "1");
            return { text };
          },
        }),
        put: factory.build({
          ...{ method: "put", ifMatch: "required", current: () => String(version) },
          input: byId.extend({ text: z.string() }),
          output: note,
          handler: async ({ input }) => {
            ({ text } = input);
            version++;
            return { text };
          },
        }),
      },
    },
    nothing: factory.buildVoid({ statusCode: 204, handler: async () => undefined }),
    slow: factory.build({
      output: z.object({}),
      handler: async ({ signal }) => {
        asked++;
        signal.addEventListener("abort", () => aborted++);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return {};
      },
    }),
  },
};

const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
afterEach(() => queryClient.clear());

const connect = async () => {
  const { port } = await start(routing);
  return createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}` });
};

describe("queryOptions", () => {
  test("fetches the response, and has a key that consists of path, method and input", async () => {
    const client = await connect();
    const options = queryOptions(client, "get /v1/users", { prefix: "A" });
    expect(options.queryKey).toEqual(["v1", "users", "get", { prefix: "A" }]);
    const data = await queryClient.fetchQuery(options);
    expectTypeOf(data).toEqualTypeOf<{ names: string[] }>();
    expect(data).toEqual({ names });
    const cached = queryClient.getQueryData(options.queryKey);
    expectTypeOf(cached).toEqualTypeOf<{ names: string[] } | undefined>();
    expect(cached).toEqual({ names });
    const user = await queryClient.fetchQuery(
      queryOptions(client, "get /v1/users/:id", { id: "7" }),
    );
    expect(user).toEqual({ id: "7", at: new Date(0).toISOString() });
  });

  test("makes a query fail with the API's error, including its status and issues", async () => {
    const client = await connect();
    const failed = queryClient.fetchQuery(queryOptions(client, "get /v1/users/:id", { id: "0" }));
    await expect(failed).rejects.toBeInstanceOf(ReplyError);
    await expect(failed).rejects.toMatchObject({
      status: 404,
      message: "No such user",
    });
    const invalid = queryClient.fetchQuery(queryOptions(client, "get /v1/offset", { limit: 1000 }));
    await expect(invalid).rejects.toMatchObject({
      status: 400,
      issues: [{ path: ["limit"], code: "too_big" }],
    });
  });

  test("gives the error the type of the route's replies", async () => {
    const client = await connect();
    const observer = new QueryObserver(queryClient, queryOptions(client, "post /v1/users", ada));
    const { error } = observer.getCurrentResult();
    if (error instanceof ReplyError && error.status === 409)
      expectTypeOf(error.body.error.data).toEqualTypeOf<{ since: string }>();
    if (error?.code === "SLP_CLIENT_REPLY" && error.status === 404)
      expectTypeOf(error.body).toEqualTypeOf<ErrorEnvelope>();
    if (error?.code === "SLP_CLIENT_TIMEOUT") expectTypeOf(error.timeout).toBeNumber();
    const state = queryClient.getQueryState(queryOptions(client, "post /v1/users", ada).queryKey);
    expectTypeOf(state?.error).toEqualTypeOf<typeof error | undefined>();
    const mutation = new MutationObserver(queryClient, mutationOptions(client, "post /v1/users"));
    expectTypeOf(mutation.getCurrentResult().error).toEqualTypeOf<typeof error>();
  });

  test("keeps the header fields with `reply: true`, where the same prefix invalidates them", async () => {
    const client = await connect();
    const headers = { "if-none-match": '"0"' };
    const plain = queryOptions(client, "get /v1/notes/:id", { id: "7" }, { headers });
    const whole = queryOptions(client, "get /v1/notes/:id", { id: "7" }, { headers, reply: true });
    expect(whole.queryKey).toEqual([...plain.queryKey, "reply"]);
    expect(await queryClient.fetchQuery(plain)).toEqual({ text: "a" });
    const reply = await queryClient.fetchQuery(whole);
    expectTypeOf(reply.data).toEqualTypeOf<{ text: string }>();
    expectTypeOf(reply.headers.etag).toEqualTypeOf<string>();
    expectTypeOf(reply.headers["x-hint"]).toEqualTypeOf<string | undefined>();
    expectTypeOf(reply.headers["content-type"]).toEqualTypeOf<string | undefined>();
    expect(reply).toMatchObject({ data: { text: "a" }, headers: { etag: '"1"' } });
    expect(reply.headers["set-cookie"]).toBeUndefined();
    // as a persisted cache keeps it
    expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
    const cached = queryClient.getQueryData(whole.queryKey);
    expectTypeOf(cached).toEqualTypeOf<typeof reply | undefined>();
    const ifMatch = { headers: { "if-match": reply.headers.etag } };
    const save = mutationOptions(client, "put /v1/notes/:id", ifMatch);
    await expect(save.mutationFn({ id: "7", text: "b" })).resolves.toEqual({ text: "b" });
    await queryClient.invalidateQueries({ queryKey: plain.queryKey });
    expect(queryClient.getQueryState(whole.queryKey)?.isInvalidated).toBe(true);
    expect((await queryClient.fetchQuery(whole)).headers.etag).toBe('"2"');
    await expect(save.mutationFn({ id: "7", text: "c" })).rejects.toMatchObject({ status: 412 });
  });

  test("gives the data of a reply without a body as null, beside its header fields", async () => {
    const client = await connect();
    const reply = await queryClient.fetchQuery(
      queryOptions(client, "get /v1/nothing", {}, { reply: true }),
    );
    expectTypeOf(reply.data).toEqualTypeOf<null>();
    expectTypeOf(reply.headers["date"]).toEqualTypeOf<string | undefined>();
    expect(reply).toMatchObject({ data: null, headers: { date: expect.any(String) as string } });
  });

  test("lets a query be cancelled, which also stops the handler", async () => {
    const client = await connect();
    const { queryFn, queryKey } = queryOptions(client, "get /v1/slow");
    const observer = new QueryObserver(queryClient, { queryFn, queryKey });
    const stop = observer.subscribe(() => undefined);
    await expect.poll(() => asked).toBe(1);
    await queryClient.cancelQueries({ queryKey });
    await expect.poll(() => aborted).toBe(1);
    stop();
  });

  test("accepts only existing routes and valid inputs", async () => {
    const client = await connect();
    // @ts-expect-error -- no such route
    void (() => queryOptions(client, "get /v1/user"));
    // @ts-expect-error -- a field is missing
    void (() => queryOptions(client, "get /v1/users/:id", {}));
    // @ts-expect-error -- the route has no pages
    void (() => infiniteQueryOptions(client, "get /v1/users"));
    expect(client).toBeDefined();
  });
});

describe("infiniteQueryOptions", () => {
  test.each(["get /v1/offset", "get /v1/cursor"] as const)(
    "fetches the pages of %s",
    async (key) => {
      const client = await connect();
      const options = infiniteQueryOptions(client, key, { limit: 10 });
      const data = await queryClient.fetchInfiniteQuery({ ...options, pages: 5 });
      const sizes = (data as InfiniteData<{ numbers?: object[]; items?: object[] }>).pages.map(
        (page) => (page.numbers ?? page.items ?? []).length,
      );
      expect(sizes).toEqual([10, 10, 5]);
      expect(queryClient.getQueryData(queryKey(key, { limit: 10 }))).toBeUndefined();
    },
  );
});

describe("mutationOptions", () => {
  test("sends the input, and queries can be invalidated by a prefix of their keys", async () => {
    const client = await connect();
    const list = queryOptions(client, "get /v1/users");
    await queryClient.fetchQuery(list);
    await queryClient.fetchQuery(queryOptions(client, "get /v1/users/:id", { id: "7" }));
    await queryClient.fetchQuery(queryOptions(client, "get /v1/offset"));
    const observer = new MutationObserver(queryClient, {
      ...mutationOptions(client, "post /v1/users"),
      onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKey("/v1/users") }),
    });
    const created = await observer.mutate({ name: "Bob" });
    expectTypeOf(created).toEqualTypeOf<{ name: string }>();
    expect(created).toEqual({ name: "Bob" });
    const stale = queryClient
      .getQueryCache()
      .findAll()
      .filter(({ state }) => state.isInvalidated)
      .map(({ queryHash }) => queryHash);
    expect(stale).toEqual(['["v1","users","get",{}]', '["v1","users",":id","get",{"id":"7"}]']);
    expect((await queryClient.fetchQuery(list)).names).toContain("Bob");
    await expect(observer.mutate({ name: "B" })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: ["name"] }],
    });
  });
});

test("queryKey returns a key that begins with the path, so a prefix matches all routes below it", () => {
  expect(queryKey("/v1/users")).toEqual(["v1", "users"]);
  expect(queryKey("get /v1/users")).toEqual(["v1", "users", "get"]);
  expect(queryKey("get /v1/users", { since: new Date(0), id: 7n, none: undefined })).toEqual([
    ...["v1", "users", "get"],
    { since: "1970-01-01T00:00:00.000Z", id: "7" },
  ]);
});

describe("skipToken", () => {
  const toId = (id: string): string | undefined => id || undefined;

  test("lets a query wait for its input, without showing the data of another", async () => {
    const client = await connect();
    const toOptions = (id: string | undefined) =>
      queryOptions(client, "get /v1/users/:id", id === undefined ? skipToken : { id });
    const [waiting, options] = [toOptions(toId("")), toOptions(toId("7"))];
    expect(waiting).toEqual({ queryKey: queryKey("get /v1/users/:id"), queryFn: skipToken });
    const observer = new QueryObserver(queryClient, waiting);
    const off = observer.subscribe(() => undefined);
    expect(observer.getCurrentResult()).toMatchObject({ fetchStatus: "idle", data: undefined });
    observer.setOptions(options);
    await expect.poll(() => observer.getCurrentResult().data).toMatchObject({ id: "7" });
    expectTypeOf(observer.getCurrentResult().data).toEqualTypeOf<
      { id: string; at: string } | undefined
    >();
    off();
    await queryClient.fetchQuery(queryOptions(client, "get /v1/users"));
    const skipped = queryOptions(client, "get /v1/users", skipToken);
    expect(queryClient.getQueryData(skipped.queryKey)).toBeUndefined();
  });

  test("lets an infinite query wait", async () => {
    const client = await connect();
    const options = infiniteQueryOptions(client, "get /v1/offset", skipToken);
    expect(options).toMatchObject({ queryFn: skipToken });
    expect(options.queryKey).toEqual(["v1", "offset", "get", "infinite"]);
  });

  test("is in the type only where it may be the input", async () => {
    const client = await connect();
    const sure = queryOptions(client, "get /v1/users/:id", { id: "7" });
    expectTypeOf(sure.queryFn).toBeFunction();
    const unsure = queryOptions(client, "get /v1/users/:id", skipToken);
    const whole = queryOptions(client, "get /v1/users/:id", skipToken, { reply: true });
    expect(whole.queryKey).toEqual([...unsure.queryKey, "reply"]);
    expectTypeOf(whole.queryFn).extract<symbol>().toEqualTypeOf<typeof skipToken>();
    expectTypeOf(unsure.queryFn).extract<symbol>().toEqualTypeOf<typeof skipToken>();
    // @ts-expect-error -- the input has another field
    void queryOptions(client, "get /v1/users/:id", toId("") ? { di: "7" } : skipToken);
    // @ts-expect-error -- a mutation cannot wait
    void mutationOptions(client, "post /v1/users", skipToken);
  });
});

describe("a key tells inputs apart that JSON does not", () => {
  const picture = new File(["cat"], "a.png");
  const hash = (input: unknown): string => hashKey(queryKey("post /search", input));

  test.each<[string, unknown, unknown]>([
    ["files", picture, new File(["dog"], "b.png")],
    ["files that look alike", picture, new File(["cow"], "a.png")],
    ["blobs", new Blob(["cat"]), new Blob(["dog"])],
    ["files in arrays", [picture, picture], [picture, new File(["cow"], "a.png")]],
    ["bytes", new Uint8Array([1]), new Uint8Array([2])],
    ["buffers", new Uint8Array([1]).buffer, new Uint8Array([2]).buffer],
    ["views", new DataView(new ArrayBuffer(1)), new DataView(new ArrayBuffer(2))],
    ["numbers that cannot be sent", NaN, null],
  ])("%s", (_name, one, other) => {
    expect(hash({ raw: one })).not.toBe(hash({ raw: other }));
    expect(hash({ raw: one })).toBe(hash({ raw: one }));
  });

  test("buffers of the same bytes have the same key", () => {
    const toView = () => new DataView(new Uint8Array([0, 1, 2, 3]).buffer, 1, 2);
    expect(hash({ raw: toView() })).toBe(hash({ raw: toView() }));
    expect(hash({ raw: toView() })).toBe(hash({ raw: new Uint8Array([1, 2]).buffer }));
  });

  test("so a query receives the data of its own file", async () => {
    const search = factory.build({
      method: "post",
      input: z.object({ image: ez.upload() }),
      output: z.object({ saw: z.string() }),
      handler: async ({ input }) => ({ saw: input.image.data.toString() }),
    });
    const map = { "post /search": search };
    const { port } = await start(map, { upload: true });
    const client = createClient<typeof map>({ baseUrl: `http://127.0.0.1:${port}` });
    const cat = queryOptions(client, "post /search", { image: picture });
    const dog = queryOptions(client, "post /search", { image: new File(["dog"], "a.png") });
    const options = { staleTime: Infinity };
    expect(await queryClient.fetchQuery({ ...cat, ...options })).toEqual({ saw: "cat" });
    expect(await queryClient.fetchQuery({ ...dog, ...options })).toEqual({ saw: "dog" });
    expect(dog.queryKey.at(-1)).toMatchObject({ image: { name: "a.png", size: 3 } });
  });
});
