import type { Socket } from "node:net";
import { defaultEndpointsFactory as factory, Middleware, type Routing } from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start, type Sent } from "../harness.ts";

type Handle = Record<string, ((...args: readonly unknown[]) => unknown) | undefined>;

/** Counts the system calls that a server makes to write the response to one request. */
const countWrites = async (routing: Routing, target: string, sent?: Sent): Promise<number> => {
  const server = await start(routing);
  let writes = 0;
  for (const one of server.servers)
    one.on("connection", (socket: Socket) => {
      const { _handle: handle } = socket as unknown as { readonly _handle: Handle };
      for (const kind of ["Latin1String", "Utf8String", "AsciiString", "Buffer", "v"]) {
        const write = handle[`write${kind}`]?.bind(handle);
        handle[`write${kind}`] = (...args) => {
          writes++;
          return write?.(...args);
        };
      }
    });
  await server.send(target, sent);
  return writes;
};

const input = z.object({ text: z.string().default("x") });
const echo = factory.build({
  method: ["get", "post"],
  input,
  output: z.object({ text: z.string() }),
  handler: async ({ input: { text } }) => ({ text }),
});

describe("each response is a single write to the socket", () => {
  test.each<[string, string, Sent?]>([
    ["a success", "/echo"],
    ["a larger success", `/echo?text=${"y".repeat(4000)}`],
    ["a success with non-ASCII characters", "/echo?text=%C3%A4"],
    ["a body that was parsed", "/echo", { method: "POST", body: { text: "a" } }],
    ["invalid input", "/echo?text=a&text=b"],
    ["an unknown path", "/none"],
    ["a wrong method", "/echo", { method: "PUT" }],
    ["HEAD", "/echo", { method: "HEAD" }],
  ])("for %s", async (_name, target, sent) => {
    expect(await countWrites({ echo }, target, sent)).toBe(1);
  });
});

describe("nothing is done twice", () => {
  test("each schema is parsed once, and each middleware and the handler run once", async () => {
    const calls = { middleware: 0, handler: 0, own: 0, input: 0, output: 0 };
    const count = (name: keyof typeof calls) => (): boolean => ++calls[name] > 0;
    const endpoint = factory
      .addMiddleware(
        new Middleware({
          input: z.object({ key: z.string().refine(count("own")) }),
          handler: async () => ({ n: ++calls.middleware }),
        }),
      )
      .build({
        input: z.object({ id: z.string().refine(count("input")) }),
        output: z.object({ id: z.string().refine(count("output")) }),
        handler: async ({ input: { id } }) => {
          calls.handler++;
          return { id };
        },
      });
    const server = await start({ ":id": endpoint });
    const rounds = 20;
    for (let round = 0; round < rounds; round++) await server.send("/7?key=a");
    expect(calls).toEqual({
      ...{ middleware: rounds, handler: rounds, own: rounds, input: rounds, output: rounds },
    });
  });

  test("the query is parsed once, when it is first read", async () => {
    const queryParser = vi.fn((text: string) => ({ text }));
    const reader = factory.build({
      method: "get",
      handler: async ({ request }) => ({ same: request.query === request.query }),
    });
    const poster = factory.build({ method: "post", handler: async () => ({}) });
    const server = await start({ "get /a": reader, "post /a": poster }, { queryParser });
    await server.send("/a?b=1", { method: "POST" });
    expect(queryParser).not.toHaveBeenCalled();
    await server.send("/a?b=1");
    expect(queryParser).toHaveBeenCalledTimes(1);
  });
});

test("requests share one hidden class, and their prototype never changes", async () => {
  const prototypes = new Set<unknown>();
  const keys = new Set<string>();
  const look = factory.build({
    handler: async ({ request, response }) => {
      prototypes.add(Object.getPrototypeOf(request)).add(Object.getPrototypeOf(response));
      keys.add(Object.keys(request).join());
      return {};
    },
  });
  const setPrototypeOf = vi.spyOn(Object, "setPrototypeOf");
  const server = await start({ look, ":id": look });
  setPrototypeOf.mockClear();
  for (const target of ["/look", "/look?a=1", "/other", "/other?b=2"]) await server.send(target);
  expect(prototypes.size).toBe(2);
  expect(keys.size).toBe(1);
  expect(setPrototypeOf).not.toHaveBeenCalled();
});
