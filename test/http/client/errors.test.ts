import { QueryClient } from "@tanstack/query-core";
import createHttpError from "http-errors";
import {
  arrayEndpointsFactory,
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  problemEndpointsFactory,
} from "sallyport";
import { createClient, ReplyError, type ClientOptions } from "sallyport/client";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";
import { start } from "../harness.ts";

const fail = () => {
  throw createHttpError(409, "The name is taken");
};
const output = z.object({ items: z.array(z.string()) });
const page = ez.paginated({ style: "cursor", itemSchema: z.string() });
const routing = {
  plain: factory.build({ ...page, handler: fail }),
  problem: problemEndpointsFactory.build({ output, handler: fail }),
  text: arrayEndpointsFactory.build({ output, handler: fail }),
  issues: factory.build({
    method: "post",
    input: z.object({
      address: z.object({ city: z.string().min(2) }),
      tags: z.array(z.string()),
    }),
    output,
    handler: async () => ({ items: [] }),
  }),
  events: new EventStreamFactory({ message: z.string() }).build({ handler: fail }),
  void: factory.build({ method: "post", output, handler: async () => ({ items: ["done"] }) }),
};

type Client = ReturnType<typeof createClient<typeof routing>>;

const connect = async (kind: string, options: Partial<ClientOptions> = {}): Promise<Client> => {
  const { port } = await start(routing);
  const all = { baseUrl: `http://127.0.0.1:${port}`, mediaTypes: ["text/plain"], ...options };
  if (kind === "inferred") return createClient<typeof routing>(all);
  return (await importGenerated<Client>(routing, {})).createClient(all);
};

const catchError = async (promise: Promise<unknown>): Promise<ReplyError> => {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "ReplyError", code: "SLP_CLIENT_REPLY" });
  return error as ReplyError;
};

const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });

describe.each(["inferred", "generated"])("an error reply to the %s client", (kind) => {
  test.each(["get /plain", "get /problem", "get /text"] as const)(
    "of %s is an error with the API's message, method, path and status",
    async (key) => {
      const client = await connect(kind);
      const error = await catchError(client.download(key));
      expect(error).toMatchObject({
        message: "The name is taken",
        method: "GET",
        path: key.slice(4),
        status: 409,
      });
      expect(error.response).toBeInstanceOf(Response);
      expect(Object.keys(error)).not.toContain("response");
    },
  );

  test.each([
    ['{"title":"Gone"}', "Gone"],
    ['{"error":"Denied"}', "Denied"],
    ['{"message":"Busy"}', "Busy"],
    ["[1]", "status 418"],
    ["null", "status 418"],
    ["", "status 418"],
  ])("with the body %s has a message", async (body, message) => {
    const headers = { "content-type": "application/json" };
    const fetch = async (): Promise<Response> => new Response(body, { status: 418, headers });
    const client = createClient<typeof routing>({ baseUrl: "", fetch });
    await expect(client.download("get /plain")).rejects.toMatchObject({
      name: body === "" ? "UnexpectedBodyError" : "ReplyError",
      ...(body !== "" && { message }),
    });
  });

  test("has issues by field", async () => {
    const client = await connect(kind);
    const error = await catchError(
      client.download("post /issues", { address: { city: "" }, tags: ["a", 1 as never] }),
    );
    expect(error.issues).toHaveLength(2);
    expect(error.issuesAt("address.city")).toMatchObject([{ code: "too_small" }]);
    expect(error.issuesAt("tags.1")).toMatchObject([{ code: "invalid_type" }]);
    expect(error.issuesAt("address")).toEqual([]);
  });

  test("reaches `onError`, also of a subscription and of a query", async () => {
    const heard: unknown[] = [];
    const client = await connect(kind, { onError: (error) => heard.push(error) });
    const events = client.subscribe("get /events");
    const thrown = [
      await catchError(events.next()),
      await catchError(queryClient.fetchQuery(queryOptions(client, "get /plain"))),
      await catchError(client.iterate("get /plain")[Symbol.asyncIterator]().next()),
      await catchError(mutationOptions(client, "post /issues").mutationFn({} as never)),
    ];
    expect(heard).toEqual(thrown);
  });
});

test("a mutation needs no input if none is required", async () => {
  const client = await connect("inferred");
  expect(await mutationOptions(client, "post /void").mutationFn()).toEqual({ items: ["done"] });
});

test("a missing `baseUrl` says so", () => {
  expect(() => createClient<typeof routing>({} as never)).toThrow(
    "createClient: `baseUrl` must be a URL, such as",
  );
  expect(() => createClient<typeof routing>(undefined as never)).toThrow("`baseUrl` must be a URL");
});

test.each([
  "https://api.example.com/v1?tenant=1",
  "https://api.example.com#v2",
  "/api?",
  "/api#",
  "https://a?b=https://c",
])("a `baseUrl` that no path can follow is refused: %s", (baseUrl) => {
  expect(() => createClient<typeof routing>({ baseUrl })).toThrow(
    "`baseUrl` must be a URL, such as https://api.example.com or /api, without ? or #",
  );
});

test.each([["POST"], ["post"], ["Post"]])("%s can be retried", async (method) => {
  let attempts = 0;
  const fetch = async (): Promise<Response> => {
    attempts++;
    throw new Error("down");
  };
  const retry = { limit: 2, delay: 1, methods: [method] };
  const client = createClient<typeof routing>({ baseUrl: "", fetch, retry });
  await expect(client.provide("post /void")).rejects.toThrow("down");
  expect(attempts).toBe(3);
});
