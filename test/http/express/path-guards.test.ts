import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express, { type RequestHandler } from "express";
import {
  attachRouting,
  createConfig,
  defaultEndpointsFactory as factory,
  ServeStatic,
  type Routing,
} from "sallyport";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createRecorder, send, start, type Answer } from "../harness.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-guards-"));
  await mkdir(join(directory, "admin"));
  await writeFile(join(directory, "admin", "plan.txt"), "secret");
});
afterAll(() => rm(directory, { recursive: true }));

const guard: RequestHandler = (request, response, next) => {
  if (request.get("x-key") === "k") next();
  else response.status(401).end();
};
const secret = factory.build({ handler: () => ({ is: "secret" }) });
const toRouting = (): Routing => ({
  v1: { admin: { users: secret } },
  "@me": secret,
  "o'n|[^`": secret,
  files: new ServeStatic(directory),
});
const guarded = ["/v1/admin", "/@me", "/files/admin", /^\/o'n\|\[\^`/];

type Ask = (target: string, headers?: Record<string, string>) => Promise<Answer>;
const startHooked = async (): Promise<Ask> => {
  const server = await start(toRouting(), {
    beforeRouting: ({ app }) => void app.use(guarded, guard),
  });
  return (target, headers = {}) => server.send(target, { headers });
};
const startAttached = (): Promise<Ask> => {
  const app = express().use(guarded, guard);
  return serveAttached(app, app);
};
const startMounted = (): Promise<Ask> => {
  const api = express();
  const inner = express();
  return serveAttached(express().use(guarded, guard).use(inner.use(api)), api);
};
const startMountedLater = (): Promise<Ask> => {
  const api = express();
  const app = express().use(guarded, guard);
  const asked = serveAttached(app, api);
  app.use(express().use(api));
  return asked;
};
const startRouter = async (): Promise<Ask> => {
  const api = express.Router();
  const ask = await serveAttached(express().use(guarded, guard).use(api), api);
  // the router's application is not known before the first request
  for (const path of ["/v1/%61dmin/users", "/v1/adm%69n/users"])
    expect((await ask(path)).status).toBe(path === "/v1/%61dmin/users" ? 404 : 401);
  return ask;
};
const startWrapped = async (): Promise<Ask> => {
  const api = express();
  const outer = express().use(guarded, guard);
  const ask = await serveAttached(
    outer.use((request, response, next) => api(request, response, next)),
    api,
  );
  // the outer application is not known before the first request
  expect((await ask("/v1/%61dmin/users")).status).toBe(404);
  return ask;
};
/** The application of a server, which an application in front of it calls. */
const startServed = async (): Promise<Ask> => {
  const { app } = await start(toRouting(), { beforeRouting: () => undefined });
  const outer = express().use(guarded, guard).use(app);
  return serve(outer);
};
const serveAttached = async (app: express.Express, api: express.Router): Promise<Ask> => {
  const { logger } = createRecorder();
  attachRouting(createConfig({ app: api, cors: false, logger }), toRouting());
  return serve(app);
};
const serve = async (app: RequestListener): Promise<Ask> => {
  const server = createHttpServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (target, headers = {}) =>
    send((server.address() as AddressInfo).port, target, { headers });
};

describe.each([
  ["in a hook", startHooked],
  ["on a user's own application", startAttached],
  ["on an application that mounts the API's application", startMounted],
  ["on an application that mounts the API's application later", startMountedLater],
  ["on an application that uses a router with the API", startRouter],
  ["on an application that calls the API's application", startWrapped],
  ["on an application that uses that of a server", startServed],
])("a guard %s", (_name, startGuarded) => {
  test.each([
    ["/v1/admin/users"],
    ["/v1/%61dmin/users"],
    ["/%76%31/%61%64%6d%69%6E/users"],
    ["/@me"],
    ["/%40me"],
    ["/o'n|[^`"],
    ["/o%27n%7c%5b%5E%60"],
    ["/files/admin/plan.txt"],
    ["/files/%61dmin/plan.txt"],
    ["http://a/v1/%61dmin/users"],
    // Express treats the text after these characters as the path
    ["http://a;b/v1/admin/users"],
    ["http://a'/files/admin/plan.txt"],
    ["http://a%/@me"],
  ])("Q14: guards %s", async (target) => {
    const ask = await startGuarded();
    expect((await ask(target)).status).toBe(401);
    const allowed = await ask(target, { "x-key": "k" });
    expect([allowed.status, allowed.text.includes("secret")]).toEqual([200, true]);
  });

  test.each([["/v1/%61dmin%/users"], ["/v1/%%361dmin/users"]])(
    "Q14: rejects malformed %s",
    async (target) => {
      const ask = await startGuarded();
      expect((await ask(target, { "x-key": "k" })).status).toBe(400);
    },
  );
});

const spellings = [
  ...["/v1/admin/users", "/v1/%61dmin/users", "/v1/adm%69n/users", "/v1/admin/users/"],
  ...["/V1/admin/users", "/v1/admin/users#", "/v1/admin/users/?a", "/v1/admin/./users"],
  ...["http://a/v1/admin/users", "http://a/v1/%61dmin/users/", "/v1/admin%2Fusers"],
  ...[
    "/files/admin/plan.txt",
    "/files/%61dmin/plan.txt",
    "/files/admin/plan.txt/",
    "/o%27n|[^%60/",
  ],
];

describe.each<[name: string, enter: (api: express.Express, outer: express.Express) => void]>([
  ["a function", (api, outer) => outer.use((request, response) => api(request, response))],
  [
    "a router within a router",
    (api, outer) => outer.use(express.Router({ strict: true }).use(express.Router().use(api))),
  ],
])("an application whose API is entered by %s", (_name, enter) => {
  test("Q14: no spelling passes a guard, not even with the first request", async () => {
    for (const target of spellings) {
      const api = express();
      const outer = express().use(guarded, guard);
      enter(api, outer);
      const ask = await serveAttached(outer, api);
      for (const _attempt of ["first", "second"])
        expect([target, (await ask(target)).text.includes("secret")]).toEqual([target, false]);
    }
  });
});

test.each([
  ["an array with `/`", ["/", "/v1"]],
  ["an optional parameter", "/{:locale}"],
  ["a regular expression", /^\//],
])("Q14: `//` passes no guard where an API is mounted at %s", async (_name, path) => {
  const api = express.Router();
  const ask = await serveAttached(express().use(guarded, guard).use(path, api), api);
  for (const target of ["//v1/admin/users", "//%761/admin/users", "/v1//admin/users"])
    expect([target, (await ask(target)).text.includes("secret")]).toEqual([target, false]);
});

test("Q14: a URL that a middleware rewrites passes no guard, whatever the original one was", async () => {
  const api = express();
  api.use((request, _response, next) => {
    request.url = decodeURI(request.url);
    next();
  });
  const ask = await serveAttached(api.use(guarded, guard), api);
  for (const target of ["/v1/%2561dmin/users", "/v1/%2561dmin/users/"])
    expect((await ask(target)).text).not.toContain("secret");
});

test("Q14: not even the first request passes a guard in another spelling of the path of a mount", async () => {
  const api = express();
  const outer = express().use("/v1/admin", guard);
  outer.use("/:version/:area", (request, response, next) => api(request, response, next));
  const { logger } = createRecorder();
  attachRouting(createConfig({ app: api, cors: false, logger }), { users: secret });
  const ask = await serve(outer);
  for (const _attempt of ["first", "second"])
    expect((await ask("/v1/%61dmin/users")).text).not.toContain("secret");
});

test("a path with a slash at its end is not served to an application that cannot be examined, such as one of Express 4", async () => {
  const outer = {
    ...{ handle: () => undefined, on: () => undefined },
    get router(): never {
      throw new Error("'app.router' is deprecated!");
    },
  };
  const odd = Object.assign(guard.bind(undefined), { stack: [{ handle: null }, "x"], router: "x" });
  const api = express().use(odd);
  odd.stack.push(api as never);
  const { logger } = createRecorder();
  attachRouting(createConfig({ app: api, cors: false, logger }), toRouting());
  const ask = await serve((request, response) => {
    // as Express 4 does
    const prototype = Object.create(Object.getPrototypeOf(request) as object, {
      app: { value: outer },
    }) as object;
    Object.assign(Object.setPrototypeOf(request, prototype) as object, {
      originalUrl: request.url,
    });
    api(request as express.Request, response as express.Response);
  });
  const headers = { "x-key": "k" };
  const statuses = [];
  for (const target of ["/v1/admin/users/", "/v1/admin/users", "/v1/admin/users/"])
    statuses.push((await ask(target, headers)).status);
  expect(statuses).toEqual([404, 200, 404]);
});

test("Q14: a second router with an API does not see the path that the first has normalised", async () => {
  const [first, second] = [express.Router(), express.Router()];
  const { logger } = createRecorder();
  attachRouting(createConfig({ app: first, cors: false, logger }), { other: secret });
  const app = express().use(guarded, guard).use(first).use(second);
  const ask = await serveAttached(app, second);
  expect((await ask("/v1/%61dmin/users")).status).toBe(404);
});

describe("a strict guard", () => {
  const path = "/v1/admin/users";
  const strictApp = (): express.Express => express().enable("strict routing").all(path, guard);
  const strictRouter = (): express.Router => express.Router({ strict: true }).all(path, guard);
  const attach = async (app: express.Express, api: express.Router = app): Promise<Ask> =>
    serveAttached(app, api);
  const wrap =
    (api: express.Express): express.RequestHandler =>
    (request, response, next) =>
      api(request, response, next);

  test.each<[name: string, start: () => Promise<Ask>]>([
    ["of the application itself", () => attach(strictApp())],
    ["of a router", () => attach(express().use(strictRouter()))],
    [
      "of a router that handles a route",
      () => attach(express().all("/{*path}", strictRouter() as unknown as express.RequestHandler)),
    ],
    [
      "of an application between the first one and the API's",
      async () => {
        const api = express();
        const between = strictApp().use(wrap(api));
        return attach(express().use(wrap(between)), api);
      },
    ],
    [
      "of a router within a router",
      () => attach(express().use(express.Router().use(strictRouter()))),
    ],
    [
      "of an outer application",
      async () => {
        const api = express();
        return attach(strictApp().use(api), api);
      },
    ],
    [
      "of an application outside of a router",
      async () => {
        const api = express.Router();
        return attach(strictApp().use(api), api);
      },
    ],
    [
      "of an application that calls the API's",
      async () => {
        const api = express();
        return attach(strictApp().use(wrap(api)), api);
      },
    ],
    [
      "of a router in a hook",
      async () => {
        const server = await start(toRouting(), {
          beforeRouting: ({ app }) => void app.use(strictRouter()),
        });
        return (target, headers = {}) => server.send(target, { headers });
      },
    ],
  ])("%s is not passed by a slash at the end of the path", async (_name, startStrict) => {
    const ask = await startStrict();
    for (const _attempt of ["first", "second"])
      for (const target of [path, `${path}/`, `${path}/?a`, `/v1/admin/user%73/`])
        expect((await ask(target)).text).not.toContain("secret");
    expect((await ask(path, { "x-key": "k" })).text).toContain("secret");
  });
});

test("a strict guard of the path of a mount is not passed by a slash at its end", async () => {
  const api = express();
  const outer = express().enable("strict routing").all("/v1", guard).use("/v1", api);
  const { logger } = createRecorder();
  attachRouting(createConfig({ app: api, cors: false, logger }), { "": secret });
  const ask = await serve(outer);
  for (const target of ["/v1", "/v1/", "/%761/"])
    expect([target, (await ask(target)).text.includes("secret")]).toEqual([target, false]);
  expect((await ask("/v1", { "x-key": "k" })).text).toContain("secret");
});

describe("a case-sensitive guard", () => {
  const caseSensitive = false;
  const sensitive = (): express.Router =>
    express.Router({ caseSensitive: true }).all("/v1/admin/users", guard);
  const fault = /`caseSensitive` is false, but the application has a case-sensitive router/;
  const attach = (app: express.Express): unknown =>
    attachRouting(createConfig({ app, cors: false, caseSensitive }), toRouting());

  test("is refused when the routing is attached, if the API ignores the case", () => {
    expect(() => attach(express().use(sensitive()))).toThrow(fault);
    expect(() => attach(express().enable("case sensitive routing"))).toThrow(fault);
    expect(() => attach(express().use(express.Router().use(sensitive())))).toThrow(fault);
  });

  test("is refused when the application is mounted, and in a hook", async () => {
    const app = express();
    attach(app);
    expect(() => express().use(sensitive()).use(app)).toThrow(fault);
    const beforeRouting = ({ app: own }: { app: express.Express }): void =>
      void own.use(sensitive());
    await expect(start(toRouting(), { caseSensitive, beforeRouting })).rejects.toThrow(fault);
  });

  test("of a known application fails each request of an API in a router", async () => {
    const outer = express().use(sensitive());
    const [first, second] = [express.Router(), express.Router()];
    const { logger } = createRecorder();
    attachRouting(createConfig({ app: first, cors: false, logger }), { other: secret });
    attachRouting(createConfig({ app: second, cors: false, logger, caseSensitive }), toRouting());
    const ask = await serve(outer.use(first).use(second));
    for (const _attempt of ["first", "second", "third"])
      expect((await ask("/V1/admin/users")).text).not.toContain("secret");
  });

  test("of an application that calls the API's fails each request", async () => {
    const api = express();
    attach(api);
    const outer = express().use(sensitive());
    const ask = await serve(outer.use((request, response, next) => api(request, response, next)));
    for (const _attempt of ["first", "second"])
      expect((await ask("/V1/admin/users")).text).not.toContain("secret");
  });
});

test("a malformed path is rejected with 400 where only files are served with GET", async () => {
  const act = factory.buildVoid({ method: "post", handler: () => undefined });
  const server = await start({ act, "/": new ServeStatic(tmpdir()) });
  expect((await server.send("/%ff")).status).toBe(400);
  expect(server.linesOf("error")).toEqual([]);
});
