import { defaultEndpointsFactory as factory, type ServerConfig } from "sallyport";
import { describe, expect, test } from "vitest";
import { start } from "../harness.ts";

const routing = { item: factory.build({ handler: async () => ({}) }) };

const refusals: [string, string, number][] = [
  ["two Host fields", "Host: a\r\nHost: b", 400],
  ["a malformed transfer coding", "Host: a\r\nTransfer-Encoding: gzip, chunked", 400],
  ["too many fields", `Host: a\r\n${"A: b\r\n".repeat(100)}A: b`, 431],
  ["an unknown expectation", "Host: a\r\nExpect: wonders\r\nConnection: close", 417],
];

const hooks: [string, Partial<ServerConfig>][] = [
  ["without hooks", {}],
  ["with hooks", { beforeRouting: () => undefined }],
];

describe.each(hooks)("%s, a request with", (_name, config) => {
  test.each(refusals)(
    "%s has an id and CORS headers, and is logged",
    async (_case, head, status) => {
      const server = await start(routing, {
        ...config,
        cors: true,
        requestId: true,
        childLoggerProvider: async ({ parent }) => Promise.resolve(parent.child({ tenant: "t" })),
      });
      const reply = await server.raw(`GET /item HTTP/1.1\r\n${head}\r\n\r\nGET /item HTTP/1.1\r\n`);
      expect(reply).toContain(`HTTP/1.1 ${status} `);
      expect(reply).toContain("\r\nAccess-Control-Allow-Origin: *\r\n");
      const [, requestId] = /\r\nX-Request-Id: (\S+)\r\n/.exec(reply) ?? [];
      expect(requestId).toBeDefined();
      await expect
        .poll(() => server.linesOf("debug"))
        .toContainEqual({
          severity: "debug",
          message: "GET: /item",
          meta: expect.objectContaining({ status, requestId, tenant: "t" }) as unknown,
        });
    },
  );

  test.each(refusals)("%s has the headers of the cors function", async (_case, head) => {
    const cors = () => ({ "Access-Control-Allow-Origin": "https://a" });
    const server = await start(routing, { ...config, cors });
    const reply = await server.raw(`GET /item HTTP/1.1\r\n${head}\r\n\r\n`);
    expect(reply).toContain("\r\nAccess-Control-Allow-Origin: https://a\r\n");
  });
});

test("a request whose head is refused keeps its status if `childLoggerProvider` fails, which is logged", async () => {
  const server = await start(routing, {
    childLoggerProvider: () => Promise.reject(new Error("no tenant")),
  });
  const reply = await server.raw("GET /item HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  expect(reply).toContain("HTTP/1.1 400 ");
  expect(server.linesOf("error")).toMatchObject([{ meta: { error: { message: "no tenant" } } }]);
});
