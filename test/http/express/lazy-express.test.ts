import { createRequire } from "node:module";
import type { Response } from "express";
import { defaultEndpointsFactory, EndpointsFactory, ResultHandler } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const require = createRequire(import.meta.url);
const path = require.resolve("express");

/**
 * Removes Express from the module cache, so that a test can check whether Express has been loaded.
 */
const forgetExpress = (): void => {
  for (const file of Object.keys(require.cache))
    if (file.includes("/node_modules/express/")) delete require.cache[file];
};

const hello = defaultEndpointsFactory.build({
  input: z.object({ name: z.string() }),
  output: z.object({ text: z.string() }),
  handler: async ({ input }) => ({ text: `Hello ${input.name}` }),
});

describe("Express is loaded only when needed", () => {
  test("not for responses in the default envelope, including errors", async () => {
    forgetExpress();
    const server = await start({ "get /hello": hello });
    expect((await server.send("/hello?name=Ada")).text).toContain("Hello Ada");
    expect((await server.send("/hello")).status).toBe(400);
    expect((await server.send("/nowhere")).status).toBe(404);
    expect(path in require.cache).toBe(false);
  });

  const native = (change: (response: Response) => void) =>
    defaultEndpointsFactory
      .use((_request, response, next) => {
        change(response);
        next();
      })
      .build({ handler: async () => ({ text: "äb" }) });

  test("not behind a native middleware that replaces no method, and the same bytes are sent", async () => {
    forgetExpress();
    const server = await start({
      "get /plain": defaultEndpointsFactory.build({ handler: async () => ({ text: "äb" }) }),
      "get /idle": native((response) => void response.on("finish", () => undefined)),
      "get /fields": native((response) => {
        response.setHeader("X-A", "b");
        response.statusCode = 201;
      }),
    });
    const [plain, idle, fields] = [
      await server.send("/plain"),
      await server.send("/idle"),
      await server.send("/fields"),
    ];
    expect(path in require.cache).toBe(false);
    const withoutDate = ({ headers }: typeof plain) => ({ ...headers, date: undefined });
    expect(withoutDate(idle)).toEqual(withoutDate(plain));
    expect(withoutDate(fields)).toEqual({ ...withoutDate(plain), "x-a": "b" });
    expect([idle.text, fields.text, fields.status]).toEqual([plain.text, plain.text, 201]);
  });

  const nodeMethods = ["end", "writeHead", "setHeader", "getHeader", "hasHeader", "emit"] as const;
  test.each(nodeMethods)("if a native middleware replaces `%s`", async (name) => {
    forgetExpress();
    const calls: string[] = [];
    const server = await start({
      "get /a": native((response) => {
        const own = response[name] as (...args: unknown[]) => unknown;
        Object.defineProperty(response, name, {
          value(this: Response, ...args: unknown[]) {
            calls.push(name);
            return own.apply(this, args);
          },
        });
      }),
    });
    expect((await server.send("/a")).json()).toEqual({ status: "success", data: { text: "äb" } });
    expect(calls).toContain(name);
    expect(path in require.cache).toBe(true);
  });

  test("if a native middleware gives a response another prototype", async () => {
    forgetExpress();
    const seen: unknown[] = [];
    const server = await start({
      "get /a": native((response) => {
        const own = Object.getPrototypeOf(response) as object;
        const json = function (this: Response, body: unknown): unknown {
          seen.push(body);
          return this.end("own");
        };
        Object.setPrototypeOf(response, Object.create(own, { json: { value: json } }) as object);
      }),
    });
    expect((await server.send("/a")).text).toBe("own");
    expect(seen).toEqual([{ status: "success", data: { text: "äb" } }]);
  });

  test("when a handler first uses an Express member: a method, a getter or a setter", async () => {
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

  test("for a custom result handler", async () => {
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

  test("at startup if a hook, compression or an ETag needs Express", async () => {
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

  test("when `app` is read, which serves the same API", async () => {
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
