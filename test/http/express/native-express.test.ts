import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express, { type Request, type Response } from "express";
import session from "express-session";
import helmet from "helmet";
import createHttpError from "http-errors";
import {
  attachRouting,
  defaultEndpointsFactory as factory,
  ResultHandler,
  type CorsFunction,
  type HookArguments,
  type Routing,
} from "sallyport";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import * as harness from "../harness.ts";
import { createRecorder, errorEnvelope, serve, start, successEnvelope } from "../harness.ts";

declare module "express-session" {
  interface SessionData {
    count?: number;
  }
}

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-native-"));
  await writeFile(join(directory, "a.txt"), "a file");
  await mkdir(join(directory, "sub"));
});
afterAll(() => rm(directory, { recursive: true }));

const users = factory.build({
  method: ["get", "post"],
  input: z.looseObject({ id: z.string() }),
  handler: async ({ input }) => ({ ...input }),
});
const crash = factory.build({ handler: () => Promise.reject(new Error("crash")) });
const routing: Routing = { users: { ":id": users }, crash };

const bodyOf = (answer: harness.Answer) => [answer.status, answer.json()];

describe("an Express chain in beforeRouting next to API routes", () => {
  const order: string[] = [];
  const chain = ({ app }: HookArguments): void => {
    app.use((_request, response, next) => {
      order.length = 0;
      order.push("first");
      response.locals["from"] = "chain";
      next();
    });
    app.use(helmet());
    app.use(session({ secret: "s", saveUninitialized: true, resave: false }));
    const router = express.Router();
    router.use((_request, _response, next) => next(void order.push("router")));
    router.get("/items/:id", (request, response) => {
      response.status(203).json({ id: request.params["id"], query: request.query });
    });
    router.get("/fails", (_request, _response, next) => next(createHttpError(409, "Taken")));
    router.get("/throws", () => {
      throw new Error("thrown");
    });
    router.get("/rejects", async () => {
      throw createHttpError(410, "Gone");
    });
    app.use("/native", router);
    app.use((_request, _response, next) => next(void order.push("last")));
  };
  const visits = factory.addMiddleware({ handler: () => void order.push("middleware") }).build({
    handler: async ({ request, response }) => {
      order.push("handler");
      request.session.count = (request.session.count ?? 0) + 1;
      return { count: request.session.count, from: response.locals["from"] as string };
    },
  });
  const all = { ...routing, visits };

  test("the chain runs in order before the API, and native routes never reach the API", async () => {
    const server = await start(all, { beforeRouting: chain });
    const native = await server.send("/native/items/7?a=1");
    expect(bodyOf(native)).toEqual([203, { id: "7", query: { a: "1" } }]);
    expect(order).toEqual(["first", "router"]);
    const answer = await server.send("/visits");
    expect(bodyOf(answer)).toEqual([200, successEnvelope({ count: 1, from: "chain" })]);
    expect(order).toEqual(["first", "last", "middleware", "handler"]);
    expect(answer.headers["x-dns-prefetch-control"]).toBe("off");
    expect(answer.headers["x-powered-by"]).toBeUndefined();
  });

  test("request.session is available in handlers, and persists by means of its cookie", async () => {
    const server = await start(all, { beforeRouting: chain });
    const first = await server.send("/visits");
    const [cookie = ""] = first.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/^connect\.sid=.+; Path=\/; HttpOnly$/);
    const headers = { cookie: cookie.split(";")[0] ?? "" };
    for (const count of [2, 3]) {
      const answer = await server.send("/visits", { headers });
      expect(answer.json()).toEqual(successEnvelope({ count, from: "chain" }));
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
    const stranger = await server.send("/visits");
    expect(stranger.json()).toEqual(successEnvelope({ count: 1, from: "chain" }));
  });

  test.each([
    ["an unknown path", "/absent", 404, "Not Found"],
    ["an unknown path of the router", "/native/absent", 404, "Not Found"],
    ["a wrong method", "/visits", 405, "Method Not Allowed"],
    ["an error in a handler", "/crash", 500, "crash"],
    ["an error passed to next", "/native/fails", 409, "Taken"],
    ["an error thrown in a native handler", "/native/throws", 500, "thrown"],
    ["a rejection in a native handler", "/native/rejects", 410, "Gone"],
    ["a malformed path", "/users/%zz", 400, "Malformed path"],
  ])("%s is reported in the API's envelope", async (_what, target, status, message) => {
    const server = await start(all, { beforeRouting: chain });
    const answer = await server.send(target, { method: status === 405 ? "PUT" : "GET" });
    expect(bodyOf(answer)).toEqual([status, errorEnvelope(message)]);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.headers["x-frame-options"]).toBe("SAMEORIGIN");
    expect(server.linesOf("error")).toHaveLength(status < 500 ? 0 : 1);
  });

  test("errors of native routes go to `errorHandler`", async () => {
    const errorHandler = new ResultHandler({
      positive: (data) => data,
      negative: z.string(),
      handler: ({ error, response }) =>
        void response.status(error?.statusCode ?? 500).send(`own: ${error?.message}`),
    });
    const server = await start(all, { beforeRouting: chain, errorHandler });
    const answer = await server.send("/native/fails");
    expect([answer.status, answer.text]).toEqual([409, "own: Taken"]);
    expect((await server.send("/native/throws")).text).toBe("own: thrown");
  });
});

describe("hooks", () => {
  test("routes in beforeRouting take precedence, and those in afterRouting cannot shadow the API", async () => {
    const server = await start(routing, {
      beforeRouting: async ({ app }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        app.get("/users/me", (_request, response) => void response.send("native me"));
      },
      afterRouting: ({ app }) => {
        app.all("/{*path}", (request, response) => void response.send(`after ${request.path}`));
      },
    });
    expect((await server.send("/users/me")).text).toBe("native me");
    expect((await server.send("/users/you")).json()).toEqual(successEnvelope({ id: "you" }));
    expect((await server.send("/users/you", { method: "PUT" })).status).toBe(405);
    expect((await server.send("/crash")).status).toBe(500);
    expect((await server.send("/elsewhere")).text).toBe("after /elsewhere");
  });

  test("bodies parsed by body parsers in beforeRouting are not parsed again", async () => {
    const server = await start(routing, {
      bodyLimit: 10,
      beforeRouting: ({ app }) =>
        void app.use(express.json({ type: "text/own", limit: 100 }), express.text()),
    });
    const post = (type: string, body: string) =>
      server.send("/users/7", { method: "POST", body, headers: { "content-type": type } });
    const parsed = await post("text/own", '{"a":"longer than ten"}');
    expect(bodyOf(parsed)).toEqual([200, successEnvelope({ a: "longer than ten", id: "7" })]);
    expect((await post("text/own", "{]")).status).toBe(400);
    const large = await post("text/own", JSON.stringify("x".repeat(100)));
    expect(bodyOf(large)).toEqual([413, errorEnvelope("request entity too large")]);
    // bodies that these parsers ignore are parsed by the framework
    const small = await post("application/json", '{"a":1}');
    expect(bodyOf(small)).toEqual([200, successEnvelope({ a: 1, id: "7" })]);
    expect((await post("application/json", '{"a":"too long"}')).status).toBe(413);
  });
});

/** Hooks with and without a layer on the Express stack. Without a layer, the server bypasses the stack. */
const stacks: [string, (args: HookArguments) => void][] = [
  ["without native middleware", () => undefined],
  ["with native middleware", ({ app }) => void app.use((_request, _response, next) => next())],
];

describe.each(stacks)("handlers have Express objects, %s", (_what, beforeRouting) => {
  const doing = (handler: Parameters<typeof factory.buildVoid>[0]["handler"]) =>
    start({ "a/:id": factory.buildVoid({ input: z.looseObject({}), handler }) }, { beforeRouting });

  test("response.json, status, set and redirect", async () => {
    const server = await doing(({ request: { params }, response }) =>
      params["id"] === "go"
        ? response.redirect(303, "/b?c=d")
        : response.status(201).set("X-A", "b").json({ own: true }),
    );
    const answer = await server.send("/a/1");
    expect([...bodyOf(answer), answer.headers["x-a"]]).toEqual([201, { own: true }, "b"]);
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
    const redirected = await server.send("/a/go");
    expect([redirected.status, redirected.headers.location]).toEqual([303, "/b?c=d"]);
  });

  test("response.send, cookie and attachment", async () => {
    const server = await doing(({ response }) =>
      response.cookie("c", "d", { httpOnly: true }).attachment("a.csv").send("x;y"),
    );
    const { status, text, headers } = await server.send("/a/1");
    expect([status, text]).toEqual([200, "x;y"]);
    expect(headers).toMatchObject({
      "set-cookie": ["c=d; Path=/; HttpOnly"],
      "content-disposition": expect.stringMatching(/^attachment; filename="?a\.csv"?$/) as string,
      "content-type": "text/csv; charset=utf-8",
    });
  });

  test("response.format", async () => {
    const server = await doing(({ response }) =>
      response.format({
        text: () => response.send("plain"),
        json: () => response.send({ is: "json" }),
      }),
    );
    const ask = async (accept: string) => (await server.send("/a/1", { headers: { accept } })).text;
    expect(await ask("text/plain")).toBe("plain");
    expect(await ask("application/json")).toBe('{"is":"json"}');
    expect((await server.send("/a/1", { headers: { accept: "image/png" } })).status).toBe(406);
  });

  const sendFile = ({ request, response }: { request: Request; response: Response }) =>
    response.sendFile(request.params["id"] as string, { root: directory });

  test("response.sendFile", async () => {
    const answer = await (await doing(sendFile)).send("/a/a.txt");
    expect([answer.status, answer.text]).toEqual([200, "a file"]);
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  test.each(["missing.txt", "sub"])("response.sendFile for %s gets a 404", async (name) => {
    const server = await doing(sendFile);
    const answer = await server.send(`/a/${name}`);
    expect([answer.status, answer.json()]).toMatchObject([404, { status: "error" }]);
    // S10: the response contains no local path
    expect(answer.text).not.toContain(directory);
    expect((await server.send("/a/a.txt")).text).toBe("a file");
  });

  test("request.ip, query, get, params, path, originalUrl, hostname, accepts, is", async () => {
    const about = factory.build({
      method: "post",
      input: z.looseObject({}),
      handler: async ({ request, response }) => ({
        ...{ ip: request.ip, query: request.query, a: request.get("X-A"), path: request.path },
        ...{ url: request.url, originalUrl: request.originalUrl, hostname: request.hostname },
        ...{
          accepts: request.accepts("html", "json"),
          is: request.is("json"),
          body: request.body as object,
        },
        ...{ protocol: request.protocol, params: request.params, baseUrl: request.baseUrl },
        ...{ linked: response.req === request && request.res === response },
        ...{ app: request.app === response.app, locals: { ...response.locals } },
      }),
    });
    const server = await start({ "a/:id": about }, { beforeRouting });
    const headers = {
      ...{ host: "h.example:81", "x-a": "b", accept: "application/json" },
      // R10: these fields are not trusted
      ...{ "x-forwarded-for": "9.9.9.9", "x-forwarded-host": "evil", "x-forwarded-proto": "https" },
    };
    const answer = await server.send("/a/1%202?q=1&q=2", {
      method: "POST",
      body: { c: 1 },
      headers,
    });
    expect(answer.json()).toEqual(
      successEnvelope({
        ...{ ip: "127.0.0.1", query: { q: ["1", "2"] }, a: "b", path: "/a/1%202" },
        ...{ url: "/a/1%202?q=1&q=2", originalUrl: "/a/1%202?q=1&q=2", hostname: "h.example" },
        ...{ accepts: "json", is: "json", body: { c: 1 }, protocol: "http" },
        ...{ params: { id: "1 2" }, baseUrl: "", linked: true, app: true, locals: {} },
      }),
    );
  });

  test("settings made in beforeRouting apply", async () => {
    const ip = factory.build({ handler: async ({ request }) => ({ ip: request.ip }) });
    const server = await start(
      { ip },
      {
        beforeRouting: (args) => {
          beforeRouting(args);
          args.app.set("trust proxy", "loopback").set("json spaces", 1);
        },
      },
    );
    const answer = await server.send("/ip", { headers: { "x-forwarded-for": "9.9.9.9" } });
    expect(answer.text).toBe(JSON.stringify(successEnvelope({ ip: "9.9.9.9" }), null, 1));
  });
});

describe("responses of an application with its own stack", () => {
  const endpoint = factory.build({ handler: () => ({ text: "<&>", hidden: true }) });

  test("do not mention Express", async () => {
    const beforeRouting = ({ app }: HookArguments) =>
      void app.use((_request, _response, next) => next());
    const server = await start({ a: endpoint }, { beforeRouting });
    for (const path of ["/a", "/none"])
      expect((await server.send(path)).headers).not.toHaveProperty("x-powered-by");
  });

  test.each([
    ["json escape", true, String.raw`{"text":"\u003c\u0026\u003e","hidden":true}`],
    [
      "json replacer",
      (key: string, value: unknown) => (key === "hidden" ? undefined : value),
      '{"text":"<&>"}',
    ],
  ])("respect the setting %s", async (setting, value, data) => {
    const beforeRouting = ({ app }: HookArguments) => void app.set(setting, value);
    const answer = await (await start({ a: endpoint }, { beforeRouting })).send("/a");
    expect(answer.text).toBe(`{"status":"success","data":${data}}`);
  });
});

describe("native middlewares added with factory.use", () => {
  interface Authenticated extends Request {
    auth?: { sub: string };
  }

  test("a property that a middleware sets on the request, such as a JWT payload, reaches ctx through the provider", async () => {
    const authenticated = factory.use(
      (request: Authenticated, _response, next) => {
        const [scheme, sub] = (request.get("Authorization") ?? "").split(" ");
        if (scheme === "Bearer" && sub !== undefined) request.auth = { sub };
        next(request.auth ? undefined : new Error("no token"));
      },
      {
        provider: (request: Authenticated) => ({ sub: request.auth?.sub }),
        transformer: (error) => createHttpError(401, `Denied: ${error.message}`),
      },
    );
    const server = await start({ me: authenticated.build({ handler: ({ ctx }) => ({ ...ctx }) }) });
    const known = await server.send("/me", { headers: { authorization: "Bearer ann" } });
    expect(bodyOf(known)).toEqual([200, successEnvelope({ sub: "ann" })]);
    expect(bodyOf(await server.send("/me"))).toEqual([401, errorEnvelope("Denied: no token")]);
  });
});

describe("a user's own application", () => {
  const file = factory.buildVoid({
    handler: ({ response }) => response.sendFile("a.txt", { root: directory }),
  });
  const me = (name: string) => (request: Request, response: Response) =>
    void response.send(`${name} ${request.url}`);

  test("the `app` that createServer returns serves the API as well, even when it is mounted", async () => {
    const { app, servers } = await start({ ...routing, file }, { cors: true });
    expect(servers).toHaveLength(1);
    const [ask, mounted] = [await serve(app), await serve(express().use("/sub", app))];
    for (const answer of [await ask("/users/1?a=b"), await mounted("/sub/users/1?a=b")]) {
      expect(bodyOf(answer)).toEqual([200, successEnvelope({ id: "1", a: "b" })]);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    }
    const posted = await ask("/users/1", { method: "POST", body: { a: 1 } });
    expect(bodyOf(posted)).toEqual([200, successEnvelope({ id: "1", a: 1 })]);
    expect((await ask("/file")).text).toBe("a file");
    expect(bodyOf(await mounted("/sub/x"))).toEqual([404, errorEnvelope("Not Found")]);
  });

  test("several APIs on one application add no listeners of their own to a response", async () => {
    const app = express();
    for (let index = 0; index < 5; index++)
      attachRouting({ app, cors: false, accessLogger: null, logger: createRecorder().logger }, {});
    app.get("/mine", (_request, response) => {
      // after the promises of the APIs have resolved
      setImmediate(() => void response.json(response.listenerCount("close")));
    });
    expect((await (await serve(app))("/mine")).json()).toBe(1);
  });

  test("passes a wrong method on like an unknown path if wrongMethodBehavior is 404", async () => {
    const app = express();
    const cors: CorsFunction = ({ endpoint: own }) => (own ? { "X-Endpoint": "yes" } : {});
    const mine = factory.build({ handler: () => ({}) });
    attachRouting(
      { app, cors, logger: createRecorder().logger, wrongMethodBehavior: 404 },
      { mine },
    );
    app.put("/mine", me("after"));
    app.use((_request, response) => void response.status(404).send("own"));
    const ask = await serve(app);
    expect((await ask("/mine", { method: "PUT" })).text).toBe("after /mine");
    const { text, headers } = await ask("/mine", { method: "DELETE" });
    expect([text, headers["x-endpoint"]]).toEqual(["own", undefined]);
    expect((await ask("/mine")).headers["x-endpoint"]).toBe("yes");
  });

  test.each([
    ["an application", ""],
    ["a Router at /api", "/api"],
  ])("serves the API through attachRouting on %s", async (_name, prefix) => {
    const { logger, lines } = createRecorder();
    const app = express();
    const target = prefix === "" ? app : express.Router();
    app.get(`${prefix}/users/me`, me("before"));
    const attached = attachRouting({ app: target, cors: false, logger }, routing);
    attached.logger.info("said");
    expect(lines).toEqual([{ severity: "info", message: "said", meta: undefined }]);
    if (prefix !== "") app.use(prefix, target);
    app.get(`${prefix}/users/you`, me("shadowed"));
    app.get("/after", me("after"));
    app.get("/fails", () => expect.fail("mine"));
    app.use(attached.notFoundHandler);
    app.use((error: Error, _request: Request, response: Response, _next: express.NextFunction) => {
      response.status(599).send(`own: ${error.message}`);
    });
    const ask = await serve(app);
    expect((await ask(`${prefix}/users/me`)).text).toBe(`before ${prefix}/users/me`);
    expect((await ask(`${prefix}/users/you`)).json()).toEqual(successEnvelope({ id: "you" }));
    expect((await ask("/after")).text).toBe("after /after");
    const failed = await ask("/fails");
    expect([failed.status, failed.text]).toEqual([599, "own: mine"]);
    expect(bodyOf(await ask(`${prefix}/crash`))).toEqual([500, errorEnvelope("crash")]);
    expect(bodyOf(await ask("/absent"))).toEqual([404, errorEnvelope("Not Found")]);
    const wrong = await ask(`${prefix}/users/1`, { method: "PUT" });
    expect([...bodyOf(wrong), wrong.headers.allow]).toEqual([
      ...[405, errorEnvelope("Method Not Allowed"), "GET, POST, HEAD"],
    ]);
    const posted = await ask(`${prefix}/users/1`, { method: "POST", body: { a: 1 } });
    expect(posted.json()).toEqual(successEnvelope({ a: 1, id: "1" }));
    expect(lines.filter(({ severity }) => severity === "error")).toHaveLength(1);
  });

  test("sends a 404 if an endpoint behind attachRouting calls next without an error", async () => {
    const app = express();
    const { logger } = createRecorder();
    const passOn = factory.buildVoid({ handler: ({ request }) => request.next?.() });
    attachRouting({ app, cors: false, logger }, { passOn });
    expect(bodyOf(await (await serve(app))("/passOn"))).toEqual([404, errorEnvelope("Not Found")]);
  });

  test("serves the routes of two attachRouting calls", async () => {
    const app = express();
    const { logger } = createRecorder();
    attachRouting({ app, cors: false, logger }, routing);
    attachRouting({ app, cors: false, logger }, { more: users });
    const ask = await serve(app);
    expect((await ask("/users/1")).json()).toEqual(successEnvelope({ id: "1" }));
    expect((await ask("/more?id=2")).json()).toEqual(successEnvelope({ id: "2" }));
  });

  test.each(["throws", "rejects"])(
    "attachRouting with a childLoggerProvider that %s sends a 500 and runs no handler",
    async (how) => {
      const { logger, lines } = createRecorder();
      const app = express();
      const handler = vi.fn(() => ({}));
      const childLoggerProvider = (): never => {
        throw new Error("no child");
      };
      attachRouting(
        {
          ...{ app, cors: false, logger },
          childLoggerProvider:
            how === "throws" ? childLoggerProvider : async () => childLoggerProvider(),
        },
        { a: factory.build({ handler }) },
      );
      const answer = await (await serve(app))("/a");
      expect(bodyOf(answer)).toEqual([500, errorEnvelope("no child")]);
      expect(lines.filter(({ severity }) => severity === "error")).toHaveLength(1);
      expect(handler).not.toHaveBeenCalled();
    },
  );

  const download = factory.buildVoid({
    handler: ({ response }) => response.download(join(directory, "a.txt")),
  });
  test.each([
    ["sendFile", "an application", express()],
    ["sendFile", "a Router", express.Router()],
    ["download", "an application", express()],
    ["download", "a Router", express.Router()],
  ])(
    "sends only the file with response.%s behind attachRouting to %s",
    async (method, _what, app) => {
      const { logger, lines } = createRecorder();
      attachRouting({ app, cors: false, logger }, { sendFile: file, download });
      const answer = await (await serve(express().use("/api", app)))(`/api/${method}`);
      expect([answer.status, answer.text]).toEqual([200, "a file"]);
      expect(lines.filter(({ severity }) => severity !== "debug")).toEqual([]);
    },
  );
});
