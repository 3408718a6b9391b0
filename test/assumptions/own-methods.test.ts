import { defaultEndpointsFactory, type ServerConfig } from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { findExchange } from "../../src/wire/exchange/exchange.ts";
import { start } from "../http/harness.ts";

// each server starts as if Express had not been loaded yet
vi.mock(import("../../src/basics/lazy/packages.cjs"), async (load) => ({
  ...(await load()),
  isExpressLoaded: () => false,
}));

describe("the fast path, which writes to the socket directly,", () => {
  // `write` and `redirect` are not called for a JSON body
  test.each([
    ...["json", "send", "set", "get", "setHeader", "getHeader", "writeHead", "end", "emit"],
    ...["_storeHeader", "_send", "write", "redirect"],
  ])("is not taken if a native middleware has given the response its own `%s`", async (name) => {
    const calls: number[] = [];
    const replyOf = async (hook: Partial<ServerConfig>): Promise<string> => {
      let count = 0;
      const native = defaultEndpointsFactory
        .use((_request, response, next) => {
          // reading Express' methods at once would load Express
          const own = (...args: unknown[]): unknown => {
            count++;
            const { [name]: original } = Object.getPrototypeOf(response) as Record<string, unknown>;
            return Reflect.apply(original as () => unknown, response, args);
          };
          Object.assign(response, { [name]: own });
          next();
        })
        .build({ handler: async () => ({ a: 1 }) });
      const server = await start({ native }, hook);
      const { text } = await server.send("/native");
      calls.push(count);
      return text;
    };
    // with a `beforeRouting` hook, Express sends every response
    const expected = await replyOf({ beforeRouting: () => undefined });
    expect(await replyOf({})).toBe(expected);
    // how often Node calls its own `_send` depends on `strictContentLength`, which the fast path does not need
    const [hooked, own] = name === "_send" ? calls.map((count) => Math.min(count, 1)) : calls;
    expect(own).toBe(hooked);
    expect(calls[0] === 0).toBe(["write", "redirect"].includes(name));
  });

  test("is taken after a native middleware that replaces nothing", async () => {
    const seen: object[] = [];
    const native = defaultEndpointsFactory
      .use((_request, response, next) => {
        seen.push(response);
        next();
      })
      .build({ handler: async () => ({ a: 1 }) });
    const server = await start({ native });
    await server.send("/native");
    expect(findExchange(seen[0] ?? {})?.sentFields).toBeDefined();
  });
});
