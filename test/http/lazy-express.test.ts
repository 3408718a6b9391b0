import { createRequire } from "node:module";
import { defaultEndpointsFactory, EndpointsFactory, ResultHandler } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "./harness.ts";

const require = createRequire(import.meta.url);
const path = require.resolve("express");

/** Whether Express is loaded already makes a difference, so each test says it. */
const forgetExpress = (): void => {
  for (const file of Object.keys(require.cache))
    if (file.includes("/node_modules/express/")) delete require.cache[file];
};

const hello = defaultEndpointsFactory.build({
  input: z.object({ name: z.string() }),
  output: z.object({ text: z.string() }),
  handler: async ({ input }) => ({ text: `Hello ${input.name}` }),
});

describe("Express is loaded when it is needed", () => {
  test("not to answer with the default envelope, nor its errors", async () => {
    forgetExpress();
    const server = await start({ "get /hello": hello });
    expect((await server.send("/hello?name=Ada")).text).toContain("Hello Ada");
    expect((await server.send("/hello")).status).toBe(400);
    expect((await server.send("/nowhere")).status).toBe(404);
    expect(path in require.cache).toBe(false);
  });

  test("by the first member of its own that a handler uses, method, getter or setter", async () => {
    forgetExpress();
    const seen: unknown[] = [];
    const server = await start({
      "get /getter": defaultEndpointsFactory.build({
        handler: async ({ request }) => ({ ip: request.ip, xhr: request.xhr }),
      }),
      "get /method": defaultEndpointsFactory.build({
        handler: async ({ response }) => {
          response.status(201).cookie("a", "b");
          return {};
        },
      }),
      "get /setter": defaultEndpointsFactory.build({
        handler: async ({ response }) => {
          const own = (text: unknown): typeof response => response.end(text);
          response.send = own;
          seen.push(response.send === own, Object.hasOwn(response, "send"));
          return {};
        },
      }),
    });
    expect((await server.send("/setter")).status).toBe(200);
    expect(seen).toEqual([true, true]);
    expect(path in require.cache).toBe(true);
    expect((await server.send("/getter")).text).toContain('"xhr":false');
    const answer = await server.send("/method");
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([201, ["a=b; Path=/"]]);
  });

  test("by a result handler of the application's", async () => {
    forgetExpress();
    const plain = new ResultHandler({
      positive: (data) => data,
      negative: z.string(),
      handler: ({ response, output }) => void response.status(202).json(output),
    });
    const server = await start({
      "get /": new EndpointsFactory(plain).build({ handler: async () => ({ a: 1 }) }),
    });
    expect(await server.send("/")).toMatchObject({ status: 202, text: '{"a":1}' });
  });

  test("at the start where a hook, compression or an ETag needs it", async () => {
    const configs = [
      { beforeRouting: () => undefined },
      { compression: true },
      { etag: "weak" },
    ] as const;
    for (const config of configs) {
      forgetExpress();
      await start({ "get /hello": hello }, config);
      expect([config, path in require.cache]).toEqual([config, true]);
    }
  });

  test("by the application of the server, which serves the API as it is", async () => {
    forgetExpress();
    const server = await start({ "get /hello": hello });
    const { app } = server;
    expect(path in require.cache).toBe(true);
    const again = app.listen(0);
    try {
      const { port } = again.address() as { port: number };
      const response = await fetch(`http://127.0.0.1:${port}/hello?name=Bob`);
      expect(await response.text()).toContain("Hello Bob");
    } finally {
      again.close();
    }
  });
});
