import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
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
import { createRecorder, send, start, type Answer } from "./harness.ts";

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
const toRouting = (): Routing => ({
  v1: { admin: { users: factory.build({ handler: () => ({ is: "secret" }) }) } },
  "@me": factory.build({ handler: () => ({ is: "secret" }) }),
  files: new ServeStatic(directory),
});
const guarded = ["/v1/admin", "/@me", "/files/admin"];

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
const serveAttached = async (app: express.Express, api: express.Router): Promise<Ask> => {
  const { logger } = createRecorder();
  attachRouting(createConfig({ app: api, cors: false, logger }), toRouting());
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
])("a guard %s", (_name, startGuarded) => {
  test.each([
    ["/v1/admin/users"],
    ["/v1/%61dmin/users"],
    ["/%76%31/%61%64%6d%69%6E/users"],
    ["/@me"],
    ["/%40me"],
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

test("a malformed path is rejected with 400 where only files are served with GET", async () => {
  const act = factory.buildVoid({ method: "post", handler: () => undefined });
  const server = await start({ act, "/": new ServeStatic(tmpdir()) });
  expect((await server.send("/%ff")).status).toBe(400);
  expect(server.linesOf("error")).toEqual([]);
});
