import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { createClient, NetworkError } from "sallyport/client";
import { queryOptions } from "sallyport/tanstack-query";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";
import { start } from "../harness.ts";

const seen = factory.build({ handler: ({ request }) => ({ by: request.get("authorization") }) });
const bytes = factory.build({
  method: "post",
  inputSources: ["query", "body"],
  input: ez.raw({ q: z.string().optional() }),
  handler: ({ input }) => ({ text: input.raw.toString(), q: input.q }),
});
const reset = factory.build({ statusCode: 205, handler: () => ({}) });
const form = factory.build({
  method: "post",
  input: ez.form({ user: z.object({ name: z.string() }) }),
  handler: ({ input }) => input,
});
const routing = { seen, bytes, reset };

const connect = async (options: object = {}) => {
  const { port } = await start(routing);
  return createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}`, ...options });
};

test("header fields may be the Headers of another implementation", async () => {
  const headers = {
    forEach: (add: (value: string, name: string) => void) => add("a", "authorization"),
  };
  const client = await connect();
  expect(await client.provide("get /seen", {}, { headers: headers as never })).toMatchObject({
    data: { by: "a" },
  });
});

test("bytes are sent beside a query", async () => {
  const client = await connect({ inputSources: { "post /bytes": ["query", "body"] } });
  const input = { raw: new TextEncoder().encode("a,b"), q: "z" };
  expect(await client.provide("post /bytes", input)).toMatchObject({
    data: { text: "a,b", q: "z" },
  });
});

test("a 205 is a success without a body", async () => {
  expect(await (await connect()).request("get /reset")).toMatchObject({ ok: true, status: 205 });
});

test("the data of a query whose response has no body is null", async () => {
  const { queryFn } = queryOptions(await connect(), "get /reset");
  const data = await queryFn({ signal: new AbortController().signal });
  expect(data).toBeNull();
  expectTypeOf(data).toEqualTypeOf<null>();
});

test("objects in a form are sent as the extended parser reads them", async () => {
  const config = { queryParser: "extended" } as const;
  const { port } = await start({ form }, config);
  interface Calls {
    readonly provide: (key: string, input: object) => Promise<unknown>;
  }
  const generated = await importGenerated<Calls>({ form }, config);
  const client = generated.createClient({ baseUrl: `http://127.0.0.1:${port}` });
  expect(await client.provide("post /form", { user: { name: "Ada" } })).toMatchObject({
    data: { user: { name: "Ada" } },
  });
});

describe("a retry", () => {
  const down = { method: "GET", path: "/other" };
  test.each([
    ["follows no error of another call that a hook has made", { retry: 3 }],
    ["does not happen if the limit is not a number", { retry: Number.NaN }],
  ])("%s", async (_name, options) => {
    const onRequest = vi.fn(() => {
      throw new NetworkError(
        Number.isNaN(options.retry) ? { ...down, path: "/seen" } : down,
        "down",
      );
    });
    const client = await connect({ ...options, onRequest });
    await expect(client.provide("get /seen")).rejects.toThrow("down");
    expect(onRequest).toHaveBeenCalledOnce();
  });
});

test("an upload that has timed out before it began is not sent", async () => {
  const open = vi.fn();
  vi.stubGlobal(
    "XMLHttpRequest",
    class {
      open = open;
    },
  );
  try {
    const client = await connect({
      timeout: 5,
      onRequest: () => new Promise((resolve) => setTimeout(resolve, 30)),
    });
    const options = { onUploadProgress: () => undefined };
    await expect(client.provide("post /bytes", { raw: "a" }, options)).rejects.toThrow("5 ms");
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(open).not.toHaveBeenCalled();
  } finally {
    vi.unstubAllGlobals();
  }
});

test.each(["localhost:8090", "api"])("the address %s is refused", (baseUrl) => {
  expect(() => createClient<typeof routing>({ baseUrl })).toThrow("`baseUrl` must be a URL");
});
