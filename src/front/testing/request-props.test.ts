import { createHmac } from "node:crypto";
import express from "express";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory, DefinitionError, Middleware } from "../../index.ts";
import { testEndpoint, testMiddleware, type RequestProps } from "./index.ts";

const silent = new Middleware({
  handler: async ({ request }) => ({ ip: request.socket.remoteAddress }),
});
const post = factory.build({
  method: "post",
  input: z.object({ a: z.number() }),
  handler: async ({ input }) => input,
});

afterEach(() => void vi.useRealTimers());

describe("a request given by a test", () => {
  test("may have an incomplete socket", async () => {
    const requestProps = { socket: { remoteAddress: "9" } };
    const { output } = await testMiddleware({ middleware: silent, requestProps });
    expect(output).toEqual({ ip: "9" });
  });

  test.each([
    ["json", express.json()],
    ["urlencoded", express.urlencoded()],
  ])("keeps its body when an Express parser runs: %s", async (_name, parser) => {
    const endpoint = factory.use(parser).build({
      method: ["get", "post"],
      input: z.object({ a: z.number().optional() }),
      handler: async ({ input }) => input,
    });
    for (const method of ["POST", "GET"] as const) {
      const { responseMock } = await testEndpoint({
        endpoint,
        requestProps: { method, body: { a: 1 } },
      });
      expect(responseMock._getStatusCode()).toBe(200);
    }
  });

  test("has a string as its path, even without a target", async () => {
    const endpoint = factory.build({
      handler: async ({ request }) => ({ isRoot: request.path.startsWith("/") }),
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getJSONData<{ data: object }>().data).toEqual({ isRoot: false });
  });

  test("has a route, as on a server", async () => {
    const seen = async (requestProps: RequestProps): Promise<unknown> => {
      const middleware = new Middleware({ handler: ({ request }) => ({ ...request.route }) });
      return (await testMiddleware({ middleware, requestProps })).output;
    };
    expect(await seen({ url: "/users/1?a" })).toEqual({ path: "/users/1" });
    expect(await seen({ route: { path: "/users/:id" } })).toEqual({ path: "/users/:id" });
  });

  test("has the given cookies, parsed or not", async () => {
    const endpoint = factory.build({
      input: z.object({ sid: z.string() }),
      handler: async ({ input }) => input,
    });
    for (const cookies of [true, false]) {
      const { responseMock } = await testEndpoint({
        endpoint,
        requestProps: { cookies: { sid: "1" } },
        configProps: { cookies, inputSources: { get: ["cookies"] } },
      });
      expect(responseMock._getStatusCode()).toBe(200);
    }
  });

  const cookiesOf = async (
    requestProps: RequestProps,
    configProps?: Parameters<typeof testMiddleware>[0]["configProps"],
  ): Promise<unknown> => {
    const middleware = new Middleware({
      handler: ({ request: { cookies, signedCookies } }) => ({ cookies, signedCookies }),
    });
    return (await testMiddleware({ middleware, requestProps, configProps })).output;
  };
  const headers = {
    cookie: `sid=1; user=s:ada.${createHmac("sha256", "key").update("ada").digest("base64").slice(0, -1)}`,
  };

  test("has cookies as on a server that parses them, without any configuration", async () => {
    expect(await cookiesOf({})).toEqual({ cookies: {}, signedCookies: {} });
    expect(await cookiesOf({ headers: { cookie: "sid=1" } })).toEqual({
      ...{ cookies: { sid: "1" }, signedCookies: {} },
    });
    expect(await cookiesOf({}, { cors: true })).toEqual({ cookies: {}, signedCookies: {} });
  });

  test("has signed cookies if the configuration has their secret, or if the test gives them", async () => {
    const expected = { cookies: { sid: "1" }, signedCookies: { user: "ada" } };
    expect(await cookiesOf({ headers }, { cookies: { secret: "key" } })).toEqual(expected);
    expect(await cookiesOf(expected)).toEqual(expected);
    const signedCookies = Object.freeze({ user: "ada" });
    const seen = await cookiesOf({ signedCookies }, { cookies: { secret: "key" } });
    expect(seen).toHaveProperty("signedCookies", signedCookies);
    expect((seen as typeof expected).signedCookies).toBe(signedCookies);
  });

  test("has no cookies if the configuration says so, as on a server", async () => {
    expect(await cookiesOf({ headers }, { cookies: false })).toEqual({});
  });

  test("does not have headers whose value is undefined", async () => {
    const endpoint = factory.build({
      handler: async ({ request }) => ({ has: request.headers.authorization !== undefined }),
    });
    const headers = { authorization: undefined } as never;
    const { responseMock } = await testEndpoint({ endpoint, requestProps: { headers } });
    expect(responseMock._getJSONData<{ data: object }>().data).toEqual({ has: false });
    const none = await testEndpoint({ endpoint, requestProps: { headers: null as never } });
    expect(none.responseMock._getStatusCode()).toBe(200);
  });

  test.each([
    ["a header value that cannot be sent", { headers: { a: "€" } }, '"a": "€"'],
    ["a header name that cannot be sent", { headers: { "a b": "1" } }, '"a b"'],
    ["a string instead of an object", "POST", "`requestProps` must be an object"],
  ])("causes an error that names the mistake: %s", async (_name, requestProps, text) => {
    const options = { endpoint: post, requestProps } as never;
    await expect(testEndpoint(options)).rejects.toThrow(DefinitionError);
    await expect(testEndpoint(options)).rejects.toThrow(text);
  });
});

test("a fake clock can be advanced right after the call", async () => {
  vi.useFakeTimers();
  const endpoint = factory.build({
    handler: async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return {};
    },
  });
  const testing = testEndpoint({ endpoint });
  await vi.advanceTimersByTimeAsync(1000);
  expect((await testing).responseMock._getStatusCode()).toBe(200);
});
