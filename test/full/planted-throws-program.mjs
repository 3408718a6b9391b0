// Throws an error in each function of the framework that handles a request, one after the other, and prints as JSON what
// the client received. Run by planted-throws.test.ts with a copy of `src`, in which each function begins with a call of
// `globalThis.plant`, and with the numbers of the calls to leave out.
import { connect } from "node:net";
import { pathToFileURL } from "node:url";

const [, , entry, skipped] = process.argv;
const skip = new Set(JSON.parse(skipped));

/** The numbers of the calls since the last reset; the call to fail, if any. */
let seen = new Set();
let planted;
globalThis.plant = (id) => {
  seen.add(id);
  if (id !== planted) return;
  planted = undefined;
  throw new Error(`planted ${id}`);
};

const faults = [];
process.on("uncaughtException", (error) => faults.push(`uncaught: ${error?.message}`));
process.on("unhandledRejection", (error) => faults.push(`unhandled: ${error?.message}`));

const {
  createConfig,
  createServer,
  defaultEndpointsFactory,
  EventStreamFactory,
  ez,
  Middleware,
  ServeStatic,
} = await import(pathToFileURL(entry).href);
const { z } = await import("zod");

const logged = [];
const log = (severity) => (message, meta) =>
  logged.push(`${severity} ${message} ${meta?.error?.message ?? ""}`);
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const factory = defaultEndpointsFactory;
const guarded = factory
  .addMiddleware({ handler: async () => ({ user: 1 }) })
  .addMiddleware(new Middleware({ around: (_args, next) => next({ tx: 1 }) }))
  .addContext(() => ({ db: 1 }), { dispose: () => sleep(1), afterValidation: true })
  .use((_request, _response, next) => next());
const input = z.object({ a: z.string() });
const routing = {
  one: factory.build({ output: z.object({ a: z.number() }), handler: async () => ({ a: 1 }) }),
  two: factory.build({ method: "post", input, handler: async ({ input: given }) => given }),
  guarded: guarded.build({
    method: "post",
    input,
    timeout: 1000,
    handler: async ({ signal }) => ({ is: signal.aborted }),
  }),
  fail: guarded.build({
    handler: () => {
      throw new Error("fails");
    },
  }),
  late: factory.build({ timeout: 5, handler: () => sleep(20) }),
  replies: factory.buildVoid({ handler: ({ response }) => void response.json({}) }),
  bytes: factory.build({ output: ez.buffer("text/plain"), handler: async () => Buffer.from("x") }),
  events: new EventStreamFactory({ tick: z.number() }).build({
    handler: ({ ctx }) => ctx.emit("tick", 1),
  }),
  pages: factory.build({
    input: ez.paginated({ style: "offset", itemSchema: z.object({}) }).input,
    handler: async () => ({}),
  }),
  files: new ServeStatic(import.meta.dirname),
  up: factory.build({
    method: "post",
    input: z.object({ f: ez.upload() }),
    handler: async () => ({}),
  }),
};
const config = {
  http: { listen: { port: 0, host: "127.0.0.1" } },
  cors: false,
  startupLogo: false,
  logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
  upload: true,
  cookies: true,
  requestId: true,
};
const setups = {
  plain: config,
  "with a cors function": { ...config, cors: async () => ({ "Access-Control-Allow-Origin": "*" }) },
  "with hooks": {
    ...config,
    childLoggerProvider: async ({ parent }) => parent,
    beforeRouting: ({ app }) => void app.use((_request, _response, next) => next()),
  },
};
const multipart =
  '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nx\r\n--b--\r\n';
const send = (method, path, type, body = "", more = "") =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}${type ? `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n` : ""}\r\n${body}`;
const scenarios = {
  get: send("GET", "/one?x=1"),
  head: send("HEAD", "/one"),
  post: send("POST", "/two", "application/json", '{"a":"b"}'),
  form: send("POST", "/two", "application/x-www-form-urlencoded", "a=b"),
  invalid: send("POST", "/two", "application/json", '{"a":1}'),
  malformed: send("POST", "/two", "application/json", "{"),
  guarded: send("POST", "/guarded", "application/json", '{"a":"b"}'),
  expect: send("POST", "/guarded", "application/json", '{"a":"b"}', "Expect: 100-continue\r\n"),
  fail: send("GET", "/fail"),
  late: send("GET", "/late"),
  replies: send("GET", "/replies"),
  bytes: send("GET", "/bytes"),
  events: send("GET", "/events"),
  pages: send("GET", "/pages?limit=x"),
  file: send("GET", "/files/package.json"),
  upload: send("POST", "/up", "multipart/form-data; boundary=b", multipart),
  missing: send("GET", "/nowhere"),
  wrongMethod: send("DELETE", "/two"),
  options: send(
    "OPTIONS",
    "/guarded",
    undefined,
    "",
    "Origin: http://b\r\nAccess-Control-Request-Method: POST\r\n",
  ),
  host: send("GET", "/one", undefined, "", "Host: b\r\n"),
  expectation: send("GET", "/one", undefined, "", "Expect: other\r\n"),
  badPath: send("GET", "/%zz"),
};

/** Sends bytes, and resolves with everything received until the connection closes, or after 2 seconds. */
const exchange = (port, bytes) =>
  new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    const timer = setTimeout(() => {
      socket.destroy();
      resolve(`${text} HANGS`);
    }, 2000);
    socket.on("data", (chunk) => (text += chunk)).on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
  });

const outcomes = [];
for (const [setup, options] of Object.entries(setups)) {
  const { servers, close } = await createServer(createConfig(options), routing);
  const { port } = servers[0].address();
  // the first requests load what is loaded once
  for (const bytes of Object.values(scenarios)) await exchange(port, bytes);
  for (const [scenario, bytes] of Object.entries(scenarios)) {
    seen = new Set();
    const plain = await exchange(port, bytes);
    await sleep(25);
    for (const id of seen) {
      if (skip.has(id)) continue;
      faults.length = logged.length = 0;
      planted = id;
      const text = await exchange(port, bytes);
      if (scenario === "late" || text === "") await sleep(25);
      await new Promise(setImmediate);
      const wasThrown = planted === undefined;
      planted = undefined;
      const next = await exchange(port, scenarios.get);
      outcomes.push({
        setup,
        scenario,
        id,
        wasThrown,
        wanted: plain.slice(9, 12),
        status: text.endsWith("HANGS") ? "hangs" : text.slice(9, 12),
        isAlive: next.startsWith("HTTP/1.1 200"),
        isLogged: logged.some((line) => line.includes(`planted ${id}`)),
        faults: [...faults],
      });
    }
  }
  await close();
}
process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));
