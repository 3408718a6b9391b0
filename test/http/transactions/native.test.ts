import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type RequestHandler } from "express";
import createHttpError from "http-errors";
import {
  attachRouting,
  createConfig,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ez,
  ResultHandler,
  type Response,
} from "sallyport";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { sendingLimit } from "../../../src/serve/pipeline/answer.ts";
import {
  createRecorder,
  errorEnvelope,
  send,
  shortenTimers,
  start,
  successEnvelope,
} from "../harness.ts";

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Calls a method of the response later, as a tool does that saves a session first. */
const delaying =
  (name: "end" | "json"): RequestHandler =>
  (_request, response, next) => {
    const { [name]: method } = response as unknown as Record<string, () => unknown>;
    const delayed = (...args: unknown[]) => {
      setTimeout(() => Reflect.apply(method as () => unknown, response, args), 20);
      return response;
    };
    Object.assign(response, { [name]: delayed });
    next();
  };

/** Never sends the response. */
const never: RequestHandler = (_request, response, next) => {
  response.end = () => response;
  next();
};

describe("native middlewares behave as on Express", () => {
  const store = new AsyncLocalStorage<string>();
  const enter: RequestHandler = (request, _response, next) => {
    store.run(request.url, next);
  };
  const seen: unknown[] = [];
  const build = () =>
    factory
      .use(enter)
      .addMiddleware({
        input: z.object({ n: z.coerce.number() }),
        handler: async () => {
          await sleep(1);
          seen.push(store.getStore());
        },
      })
      .build({
        output: z.object({ store: z.string().optional() }),
        handler: async () => {
          await sleep(1);
          return { store: store.getStore() };
        },
      });

  test("R18: an AsyncLocalStorage store is available in all later stages", async () => {
    const app = express();
    const { logger } = createRecorder();
    attachRouting(createConfig({ app, cors: false, logger }), { x: build() });
    const attached = createHttpServer(app).listen(0, "127.0.0.1");
    onTestFinished(() => void attached.close());
    await once(attached, "listening");
    const server = await start({ x: build() });
    for (const port of [server.port, (attached.address() as AddressInfo).port]) {
      seen.length = 0;
      expect((await send(port, "/x?n=1")).json()).toEqual(successEnvelope({ store: "/x?n=1" }));
      expect(seen).toEqual(["/x?n=1"]);
    }
  });

  test("R18: an AsyncLocalStorage store is available while the response is sent", async () => {
    const tell = (): string => String(store.getStore());
    const handler = ({
      response,
      error,
    }: {
      readonly response: Response;
      readonly error: unknown;
    }) => response.send(`${error ? "error" : "output"} ${tell()}`);
    const own = new ResultHandler({ positive: z.string(), negative: z.string(), handler });
    const server = await start({
      output: new EndpointsFactory(own).use(enter).build({ handler: () => ({}) }),
      error: new EndpointsFactory(own).use(enter).build({
        handler: () => {
          throw createHttpError(418);
        },
      }),
      stream: factory.use(enter).build({
        output: ez.stream("text/plain"),
        handler: async function* () {
          await sleep(1);
          yield tell();
        },
      }),
    });
    const textOf = async (path: string): Promise<string> => (await server.send(path)).text;
    expect(await Promise.all(["/output", "/error", "/stream"].map(textOf))).toEqual([
      "output /output",
      "error /error",
      "/stream",
    ]);
  });

  test.each(["end", "json"] as const)(
    "a handler may send the response itself if a middleware delays `%s`",
    async (name) => {
      const delay = delaying(name);
      const handler = ({ response }: { readonly response: Response }) => response.json({ own: 1 });
      const app = express().use(delay);
      const { logger } = createRecorder();
      const routing = { own: factory.buildVoid({ handler }) };
      attachRouting(createConfig({ app, cors: false, logger }), routing);
      const attached = createHttpServer(app).listen(0, "127.0.0.1");
      onTestFinished(() => void attached.close());
      const hooked = await start(routing, { beforeRouting: (hook) => void hook.app.use(delay) });
      const server = await start({
        own: factory.use(delay).buildVoid({ handler }),
        returned: factory.use(delay).build({ handler }),
      });
      expect((await server.send("/own")).json()).toEqual({ own: 1 });
      expect((await server.send("/returned")).json()).toEqual({ own: 1 });
      expect((await hooked.send("/own")).json()).toEqual({ own: 1 });
      const { port } = attached.address() as AddressInfo;
      expect((await send(port, "/own")).json()).toEqual({ own: 1 });
    },
  );

  test("a middleware that responds where another delays the response ends the request", async () => {
    let calls = 0;
    const server = await start({
      run: factory
        .use(delaying("end"))
        .addMiddleware({ handler: async ({ response }) => void response.status(401).end("no") })
        .build({ handler: () => ({ calls: ++calls }) }),
    });
    const answer = await server.send("/run");
    expect([answer.status, answer.text, calls]).toEqual([401, "no", 0]);
  });

  test("a handler's response that a tool never sends has the connection closed", async () => {
    shortenTimers(sendingLimit);
    const server = await start({
      run: factory.use(never).buildVoid({ handler: ({ response }) => void response.json({}) }),
    });
    await expect(server.send("/run")).rejects.toThrow("socket hang up");
    expect(server.linesOf("error")).toMatchObject([
      { meta: { error: { code: "SLP_NOTHING_SENT" } } },
    ]);
  });

  test("a response that no tool holds may take longer than the time limit", async () => {
    const server = await start(
      { run: factory.buildVoid({ handler: ({ response }) => response.render("any") }) },
      {
        compression: true,
        requestTimeout: 50,
        beforeRouting: ({ app }) => {
          class View {
            readonly path = "any";
            render(_options: object, done: (error: null, text: string) => void): void {
              setTimeout(() => done(null, "rendered"), 200);
            }
          }
          app.set("view", View).set("view engine", "slow");
        },
      },
    );
    expect((await server.send("/run")).text).toBe("rendered");
  });

  test("a tool that wraps the method of another while a middleware runs is not watched later", async () => {
    const wrap: RequestHandler = (_request, response, next) => {
      const end = response.end.bind(response) as (...args: unknown[]) => Response;
      response.end = (...args: unknown[]) => end(...args);
      next();
    };
    const server = await start({
      run: factory
        .use(never)
        .addMiddleware({ around: async (_args, next) => next({}) })
        .use(wrap)
        .build({ timeout: 50, handler: () => ({}) }),
    });
    await expect(server.send("/run")).rejects.toThrow("socket hang up");
    expect(server.linesOf("error")).toHaveLength(1);
  });

  test("a handler whose response a tool refuses gets an error response", async () => {
    const server = await start({
      run: factory
        .use((_request, response, next) => {
          const json = response.json.bind(response);
          let count = 0;
          response.json = (body) => {
            if (count++ === 0) throw createHttpError(409, "refused");
            return json(body);
          };
          next();
        })
        .buildVoid({ handler: ({ response }) => void response.json({}) }),
    });
    expect((await server.send("/run")).status).toBe(409);
  });

  test("`next(error)` after `next()` gets a response, or is logged if the response has been sent", async () => {
    const late: RequestHandler = (_request, _response, next) => {
      setTimeout(() => next(createHttpError(504, "too late", { expose: true })), 40);
      next();
    };
    const server = await start({
      slow: factory.use(late).build({
        handler: async () => {
          await sleep(120);
          return {};
        },
      }),
      quick: factory.use(late).build({ handler: () => ({}) }),
    });
    const slow = await server.send("/slow");
    expect([slow.status, slow.json()]).toEqual([504, errorEnvelope("too late")]);
    expect((await server.send("/quick")).status).toBe(200);
    await sleep(150);
    expect(server.linesOf("error")).toHaveLength(1);
    expect(server.linesOf("warn")).toHaveLength(1);
  });

  test("an error in a provider is handled once, even if the middleware catches errors that `next` throws", async () => {
    const provider = (): never => {
      throw createHttpError(401, "who");
    };
    const swallow: RequestHandler = (_request, _response, next) => {
      try {
        next();
      } catch {
        // as some middlewares do
      }
    };
    const server = await start(
      { x: factory.use(swallow, { provider }).build({ handler: () => ({}) }) },
      { requestTimeout: 100 },
    );
    expect((await server.send("/x")).json()).toEqual(errorEnvelope("who"));
    await sleep(150);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("`request.next` is the middleware's own `next` while the middleware runs", async () => {
    const router = express.Router();
    router.get("/file", (_request, response) => response.sendFile("/no/such/file"));
    const caught: express.ErrorRequestHandler = (_error, _request, response, _next) => {
      response.status(404).send("handled by the router");
    };
    router.use(caught);
    const server = await start({
      format: factory
        .use((_request, response) => {
          response.format({
            default: (_asked: unknown, _answer: unknown, next: () => void) => next(),
          });
        })
        .build({ handler: () => ({ is: "reached" }) }),
      file: factory.use(router).build({ handler: () => ({}) }),
    });
    expect((await server.send("/format")).json()).toEqual(successEnvelope({ is: "reached" }));
    const file = await server.send("/file");
    expect([file.status, file.text]).toEqual([404, "handled by the router"]);
  });

  const handleError: express.ErrorRequestHandler = (_error, _request, _response, next) => next();
  test.each([
    [
      "a call of `use` with two middlewares",
      () => (factory.use as (...all: unknown[]) => unknown)(enter, enter),
    ],
    [
      "a call of `use` with three arguments",
      () => (factory.use as (...all: unknown[]) => unknown)(enter, {}, enter),
    ],
    ["an error handler", () => factory.use(handleError as never)],
    ["an unknown option", () => factory.use(enter, { provide: () => ({}) } as never)],
  ])("%s is rejected immediately", (_name, use) => {
    expect(use).toThrow(expect.objectContaining({ name: "DefinitionError" }));
  });

  test("R19: a middleware that rejects requests never rejects a preflight that CORS allows", async () => {
    const hits = vi.fn();
    const limit: RequestHandler = (_request, response) => {
      hits();
      response.status(429).end();
    };
    const server = await start(
      { x: factory.use(limit).build({ handler: () => ({}) }) },
      { cors: true },
    );
    expect((await server.send("/x", { method: "OPTIONS" })).status).toBe(200);
    expect(hits).not.toHaveBeenCalled();
  });

  test("`request.route` has the pattern of the route", async () => {
    const routes: unknown[] = [];
    const endpoint = factory.build({
      input: z.object({ id: z.string() }),
      handler: ({ request }) => void routes.push(request.route),
    });
    const server = await start(
      { v1: { "users/:id": endpoint } },
      {
        beforeRouting: ({ app }) =>
          void app.use((request, response, next) => {
            response.once("finish", () => routes.push(request.route));
            next();
          }),
      },
    );
    await server.send("/v1/users/5");
    await expect.poll(() => routes).toEqual([{ path: "/v1/users/:id" }, { path: "/v1/users/:id" }]);
  });
});

test("what a native middleware changes after the input has been validated does not reach later middlewares", async () => {
  const inputs: unknown[] = [];
  const change: RequestHandler = (request, _response, next) => {
    request.params = { n: "changed" };
    next();
  };
  const build = (afterValidation: boolean) =>
    factory
      .addMiddleware({ afterValidation, handler: () => undefined })
      .use(change)
      .addMiddleware({
        input: z.object({ n: z.string() }),
        handler: ({ input }) => void inputs.push(input),
      })
      .buildVoid({ handler: () => undefined });
  const server = await start({ "early/:n": build(false), "late/:n": build(true) });
  await server.send("/early/sent");
  await server.send("/late/sent");
  expect(inputs).toEqual([{ n: "changed" }, { n: "sent" }]);
});
