import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream";
import express, { type Response } from "express";
import createHttpError from "http-errors";
import {
  attachRouting,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  Middleware,
  ResultHandler,
  ServeStatic,
} from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, send, shortenGrace, start, stopClock, successEnvelope } from "./harness.ts";

const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const plain = new ResultHandler({
  positive: z.object({}),
  negative: z.object({ why: z.string() }),
  handler: ({ error, output, response }) => {
    if (error) response.status(error.statusCode ?? 500).json({ why: error.message });
    else response.json(output);
  },
});

describe("errors of unusual shapes", () => {
  test("without a readable name get a response", async () => {
    class Nameless extends Error {
      readonly statusCode = 404;
      override get name(): string {
        throw new Error("no name");
      }
    }
    const endpoint = factory.build({
      handler: async () => {
        throw new Nameless("lost");
      },
    });
    const answer = await (await start({ a: endpoint })).send("/a");
    expect([answer.status, answer.json()]).toEqual([404, errorEnvelope("lost")]);
  });

  test.each<[unknown, number]>([
    [["content-type", "text/html"], 429],
    ["abc", 429],
    [{ "Retry-After": undefined }, 429],
  ])("ignore invalid headers: %j", async (headers, status) => {
    const endpoint = factory.build({
      handler: async () => {
        throw Object.assign(new Error("slow"), { statusCode: 429, headers });
      },
    });
    const answer = await (await start({ a: endpoint })).send("/a");
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.headers).filter((name) => /^\d|retry/.test(name))).toEqual([]);
  });
});

describe("H5: a response that Node refuses to send", () => {
  const trailer = { Trailer: "X-Sum" };
  const endpoints = {
    error: factory.build({
      handler: () => {
        throw Object.assign(new Error("slow"), { statusCode: 429, headers: trailer });
      },
    }),
    success: factory.build({
      handler: ({ response }) => {
        response.setHeader("Trailer", "X-Sum");
        return {};
      },
    }),
  };

  test.each([
    ["error", 429],
    ["success", 500],
  ] as const)("because of a trailer (%s) does not end the process", async (name, status) => {
    const server = await start(endpoints);
    const answer = await server.send(`/${name}`);
    expect([answer.status, answer.headers["trailer"]]).toEqual([status, undefined]);
  });

  test("ends the connection if the plain-text 500 cannot be sent either", async () => {
    const endpoint = factory.build({
      handler: ({ response }) => {
        response.end = () => {
          throw new Error("broken");
        };
        return {};
      },
    });
    const server = await start({ a: endpoint });
    await expect(server.send("/a")).rejects.toThrow("socket hang up");
    expect(server.linesOf("error").at(-1)?.message).toBe("Server fault");
  });
});

describe("a response that Express fails to send for a handler", () => {
  test.each<[string, (response: express.Response) => unknown, number]>([
    ["sendFile of a relative path", (response) => response.sendFile("relative.txt"), 500],
    ["render without an engine", (response) => response.render("none"), 500],
    ["sendFile of a missing file", (response) => response.sendFile("/missing/file"), 404],
    [
      "format without a match",
      (response) => response.format({ "text/x-none": () => undefined }),
      406,
    ],
  ])(
    "causes an error without a path, which the endpoint's result handler sends: %s",
    async (_name, act, status) => {
      const endpoint = new EndpointsFactory(plain).build({
        handler: async ({ response }) => {
          act(response);
          return {};
        },
      });
      const headers = { accept: "image/png" };
      const bare = await start({ a: endpoint });
      const stacked = await start(
        { a: endpoint },
        { beforeRouting: ({ app }) => void app.use(express.json()) },
      );
      for (const server of [bare, stacked]) {
        const answer = await server.send("/a", { headers });
        expect(answer.status).toBe(status);
        expect(answer.json()).toEqual({ why: expect.any(String) as string });
        expect(answer.text).not.toContain("/missing");
      }
      const app = express();
      attachRouting({ app, cors: false, logger: bare.logger }, { a: endpoint });
      const own = app.listen(0, "127.0.0.1");
      await once(own, "listening");
      const { port } = own.address() as { port: number };
      const answer = await send(port, "/a", { headers });
      own.close();
      expect([answer.status, answer.json()]).toEqual([
        status,
        { why: expect.any(String) as string },
      ]);
    },
  );

  test("gets no second response if the error handler is slow", async () => {
    const results: (string | undefined)[] = [];
    const slow = new ResultHandler({
      positive: z.object({}),
      negative: z.object({}),
      handler: async ({ error, response }) => {
        results.push(error?.message);
        await later(20);
        response.status(error?.statusCode ?? 200).json({ isError: error !== null });
      },
    });
    const endpoint = new EndpointsFactory(slow).build({
      handler: async ({ response }) => {
        response.format({ "text/x-none": () => undefined });
        return {};
      },
    });
    const answer = await (
      await start({ a: endpoint })
    ).send("/a", { headers: { accept: "image/png" } });
    expect([answer.status, answer.json()]).toEqual([406, { isError: true }]);
    await later(40);
    expect(results).toEqual(["Not Acceptable"]);
  });
});

describe("streams", () => {
  test("a HEAD request to a handler that writes in a loop ends immediately, and the signal is aborted", async () => {
    let isStopped = false;
    const endpoint = factory.build({
      handler: async ({ response, signal }) => {
        while (!signal.aborted) {
          response.write("tick");
          await later(5);
        }
        isStopped = true;
        response.end("last");
        return {};
      },
    });
    const server = await start({ a: endpoint });
    const head = await server.send("/a", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    await expect.poll(() => isStopped).toBe(true);
  });

  test.each([
    [
      "handler",
      (send: (response: Response) => void) =>
        factory.buildVoid({ handler: ({ response }) => send(response) }),
    ],
    [
      "middleware",
      (send: (response: Response) => void) =>
        factory
          .addMiddleware({ handler: ({ response }) => send(response) })
          .build({ handler: () => ({}) }),
    ],
  ])("HEAD for a %s that pipes a silent source gets a response", async (_where, build) => {
    const silent = new Readable({ read: () => undefined });
    const server = await start({ a: build((response) => void silent.pipe(response)) });
    const head = await server.send("/a", { method: "HEAD" });
    silent.destroy();
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("HEAD for a middleware that pipes a stream stops the producer", async () => {
    const source = new Readable({ read() {} });
    source.push("x");
    const piping = factory.addMiddleware({
      handler: async ({ response }) => void source.pipe(response),
    });
    const server = await start({ a: piping.build({ handler: async () => ({}) }) });
    expect((await server.send("/a", { method: "HEAD" })).status).toBe(200);
    await expect.poll(() => source.destroyed).toBe(true);
  });

  test("a pipeline that is not awaited is still the response", async () => {
    const endpoint = factory.build({
      handler: async ({ response }) => {
        async function* letters(): AsyncGenerator<string> {
          yield "a";
          await later(10);
          yield "b";
        }
        pipeline(letters(), response, () => undefined);
        return undefined;
      },
    });
    expect((await (await start({ a: endpoint })).send("/a")).text).toBe("ab");
  });

  test("H13: the socket is closed after a result handler that sends only a head", async () => {
    shortenGrace();
    const headOnly = new ResultHandler({
      positive: z.object({}),
      negative: z.object({}),
      handler: ({ response }) => void response.writeHead(200),
    });
    const server = await start({
      a: new EndpointsFactory(headOnly).build({ handler: async () => ({}) }),
    });
    await expect(server.send("/a")).rejects.toThrow("socket hang up");
    expect(server.linesOf("error").at(-1)?.message).toBe("Server fault");
  });

  test("100 Continue is sent when a handler reads the body itself", async () => {
    const endpoint = factory.build({
      method: "put",
      handler: async ({ request }) => {
        const chunks = await request.toArray();
        return { text: Buffer.concat(chunks as Buffer[]).toString() };
      },
    });
    const server = await start({ a: endpoint }, { inputSources: { put: ["params"] } });
    const answer = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(
        { port: server.port, path: "/a", method: "PUT", headers: { expect: "100-continue" } },
        (response) => void response.setEncoding("utf8").on("data", resolve),
      );
      request.on("continue", () => request.end("hello")).on("error", reject);
    });
    expect(answer).toBe(JSON.stringify(successEnvelope({ text: "hello" })));
  });
});

describe("requests and responses", () => {
  test.each([204, 205])("a %i response has neither a body nor a length", async (status) => {
    const endpoint = factory.build({
      handler: async ({ response }) => {
        response.status(status);
        return {};
      },
    });
    const answer = await (await start({ a: endpoint })).send("/a");
    expect([answer.status, answer.text]).toEqual([status, ""]);
    expect(["0", undefined]).toContain(answer.headers["content-length"]);
  });

  test("R2: an ETag that a handler sets is compared with If-None-Match", async () => {
    const endpoint = factory.build({
      handler: async ({ response }) => {
        response.set("ETag", '"v1"');
        return {};
      },
    });
    const server = await start({ a: endpoint });
    expect((await server.send("/a", { headers: { "if-none-match": '"v1"' } })).status).toBe(304);
  });

  test("a query is parsed again when a middleware rewrites the URL", async () => {
    const endpoint = factory.build({
      input: z.looseObject({}),
      handler: async ({ input }) => input,
    });
    const server = await start(
      { q: endpoint },
      {
        beforeRouting: ({ app }) => {
          app.use((request, _response, next) => {
            if (request.query["a"] === "1") request.url = "/q?b=2";
            next();
          });
        },
      },
    );
    expect((await server.send("/old?a=1")).json()).toEqual(successEnvelope({ b: "2" }));
  });

  test("parameters of a custom router are part of the input", async () => {
    const app = express();
    const router = express.Router({ mergeParams: true });
    const input = z.object({ tenant: z.string(), id: z.string() });
    const endpoint = factory.build({ input, handler: async (args) => args.input });
    const { logger } = await start({});
    attachRouting({ app: router, cors: false, logger }, { "x/:id": endpoint });
    const own = app.use("/t/:tenant", router).listen(0, "127.0.0.1");
    await once(own, "listening");
    const { port } = own.address() as { port: number };
    const answer = await send(port, "/t/acme/x/7");
    own.close();
    expect(answer.json()).toEqual(successEnvelope({ tenant: "acme", id: "7" }));
  });

  test("a class instance that an input schema creates stays one, even if middlewares add fields to the input", async () => {
    class Name {
      readonly text: string;
      constructor(text: string) {
        this.text = text;
      }
      up(): string {
        return this.text.toUpperCase();
      }
    }
    const endpoint = factory
      .addMiddleware(
        new Middleware({ input: z.object({ key: z.string() }), handler: async () => ({}) }),
      )
      .build({
        input: z.object({ name: z.string() }).transform(({ name }) => new Name(name)),
        handler: async ({ input }) => ({ up: input.up(), key: input.key }),
      });
    const answer = await (await start({ a: endpoint })).send("/a?name=ada&key=k");
    expect(answer.json()).toEqual(successEnvelope({ up: "ADA", key: "k" }));
  });

  test("an array that a native parser sets as `request.files` does not count as a body", async () => {
    const endpoint = factory.build({ method: "post", handler: async () => ({}) });
    const beforeRouting = ({ app }: { app: express.Express }): void => {
      app.use((request, _response, next) => {
        Object.assign(request, { files: [] });
        next();
      });
    };
    const server = await start({ a: endpoint }, { beforeRouting });
    expect((await server.send("/a", { method: "POST", body: {} })).status).toBe(200);
  });

  test("an empty chunked body needs no content type", async () => {
    const endpoint = factory.build({ method: "post", handler: async () => ({}) });
    const server = await start({ a: endpoint });
    const head =
      "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(await server.raw(`${head}0\r\n\r\n`)).toContain("HTTP/1.1 200");
    expect(await server.raw(`${head}1\r\nx\r\n0\r\n\r\n`)).toContain("HTTP/1.1 415");
  });

  test("JSON sent as a form gets an error that names the fix", async () => {
    const endpoint = factory.build({ method: "post", handler: async () => ({}) });
    const answer = await (
      await start({ a: endpoint })
    ).send("/a", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: '{"title":"x"}',
    });
    expect([answer.status, answer.json()]).toEqual([
      400,
      errorEnvelope("The body looks like JSON: send Content-Type: application/json"),
    ]);
  });

  test.each([[["x"]], ["text"], [5], [null]])(
    "the output %j without a schema gets a 500",
    async (output) => {
      const endpoint = factory.build({ handler: async () => output as never });
      expect((await (await start({ a: endpoint })).send("/a")).status).toBe(500);
    },
  );
});

test("static files behind a factory are looked up only if its middlewares let the request pass", async () => {
  const guarded = new EndpointsFactory(plain).addMiddleware({
    input: z.object({ key: z.string() }),
    handler: async ({ input }) => {
      if (input.key !== "right") throw createHttpError(401, "no");
      return {};
    },
  });
  const directory = new URL("../../docs/", import.meta.url).pathname;
  const server = await start({ docs: new ServeStatic(directory, {}, guarded) });
  for (const file of ["errors.md", "none.md"]) {
    const refused = await server.send(`/docs/${file}?key=wrong`);
    expect([refused.status, refused.json()]).toEqual([401, { why: "no" }]);
    expect((await server.send(`/docs/${file}`)).status).toBe(400);
  }
  expect((await server.send("/docs/errors.md?key=right")).text).toContain("# Errors");
  expect((await server.send("/docs/none.md?key=right")).status).toBe(404);
});

test("warnings are sampled even if each request has its own logger", async () => {
  stopClock();
  const act = factory.build({ method: "post", input: z.looseObject({}), handler: () => ({}) });
  const server = await start({ act }, { childLoggerProvider: ({ parent }) => ({ ...parent }) });
  const body = '{"__proto__":1}';
  const headers = { "content-type": "application/json" };
  for (let count = 0; count < 5; count++)
    expect((await server.send("/act", { method: "POST", headers, body })).status).toBe(400);
  expect(server.linesOf("warn")).toHaveLength(1);
});
