import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import session from "express-session";
import helmet from "helmet";
import createHttpError from "http-errors";
import {
  createServer,
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  Middleware,
  problemEndpointsFactory,
  ServeStatic,
} from "sallyport";
import { createFetchHandler } from "sallyport/fetch";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { rateLimit } from "sallyport/rate-limit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { createRecorder } from "../harness.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-fetch-"));
writeFileSync(join(folder, "a.txt"), "0123456789");

const pieces = async function* (count: number) {
  for (let piece = 0; piece < count; piece++) yield `${piece},`.repeat(1000);
};

/** Creates the API anew, because a rate limit and a store remember requests. */
const createRouting = () => ({
  users: {
    get: factory.build({
      input: z.object({ name: z.string(), limit: z.coerce.number().default(5) }),
      output: z.object({ name: z.string(), limit: z.number() }),
      handler: ({ input }) => input,
    }),
    post: factory.build({
      method: "post",
      input: z.object({ name: z.string(), tags: z.array(z.string()).optional() }),
      output: z.object({ name: z.string() }),
      statusCode: 201,
      errors: { 409: "The name is taken" },
      handler: ({ input, errors }) => {
        if (input.name === "ada") throw errors[409]();
        return input;
      },
    }),
  },
  who: factory.build({
    output: z.object({ ip: z.string().optional(), protocol: z.string(), host: z.string() }),
    handler: ({ request: { protocol, host } }) => ({ protocol, host: host.replace(/:\d+$/, "") }),
  }),
  cookie: factory.build({
    handler: ({ response }) => {
      response.cookie("a", "1").cookie("b", "2");
      return {};
    },
  }),
  native: factory.use(helmet()).build({ handler: () => ({}) }),
  session: factory
    .use(session({ secret: "a", resave: false, saveUninitialized: true, genid: () => "id" }))
    .build({ handler: () => ({}) }),
  refused: problemEndpointsFactory
    .addMiddleware(
      new Middleware({
        handler: () => {
          throw createHttpError(401, "Who?", { headers: { "WWW-Authenticate": "Bearer" } });
        },
      }),
    )
    .build({ method: ["get", "post"], input: z.object({}), handler: () => ({}) }),
  fault: factory.build({
    handler: () => {
      throw new Error("secret");
    },
  }),
  file: factory.build({ output: ez.file("text/plain"), handler: () => join(folder, "a.txt") }),
  buffer: factory.build({ output: ez.buffer("image/png"), handler: () => Buffer.from([1, 2, 3]) }),
  stream: factory.build({ output: ez.stream("text/plain"), handler: () => pieces(300) }),
  raw: factory.build({
    method: "post",
    input: ez.raw({ name: z.string().optional() }),
    output: z.object({ length: z.number() }),
    handler: ({ input }) => ({ length: input.raw.length }),
  }),
  form: factory.build({
    method: "post",
    input: ez.form({ name: z.string() }),
    output: z.object({ name: z.string() }),
    handler: ({ input }) => input,
  }),
  upload: factory.build({
    method: "post",
    input: z.object({ file: ez.upload() }),
    output: z.object({ name: z.string(), size: z.number() }),
    handler: ({ input: { file } }) => ({ name: file.name, size: file.size }),
  }),
  events: new EventStreamFactory({ tick: z.number() }).build({
    handler: async ({ ctx }) => {
      for (let tick = 0; tick < 3; tick++) await ctx.emit("tick", tick);
    },
  }),
  redirect: factory.buildVoid({
    handler: ({ response }) => response.redirect("/users?name=a"),
  }),
  nothing: factory.buildVoid({ handler: ({ response }) => response.status(204).end() }),
  written: factory.buildVoid({
    handler: ({ response }) => {
      response.writeHead(200, { "Transfer-Encoding": "chunked", "X-A": "1" });
      response.write("a");
      return response.end("b");
    },
  }),
  limited: factory
    .addMiddleware(rateLimit({ limit: 2, window: 60_000 }))
    .build({ handler: () => ({}) }),
  once: factory.addMiddleware(idempotency({ store: memoryStore(), scope: () => "all" })).build({
    method: "post",
    output: z.object({ at: z.number() }),
    handler: () => ({ at: 1 }),
  }),
  assets: new ServeStatic(folder),
});

const { logger } = createRecorder();
const config = {
  cors: true,
  compression: { threshold: 1000 },
  cookies: true,
  upload: true,
  requestId: true,
  health: true,
  etag: true,
  logger,
  accessLogger: null,
} as const;

const server = await createServer(
  { ...config, http: { listen: { port: 0, host: "127.0.0.1" } } },
  createRouting(),
);
const own = await createFetchHandler(config, createRouting());
beforeAll(() => expect(server.url).toMatch(/^http:/));
afterAll(async () => {
  await Promise.all([server.close(), own.close()]);
  rmSync(folder, { recursive: true });
});

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json", ...headers },
});
const form = (name: string, value: string | Blob): RequestInit => {
  const body = new FormData();
  body.set(name, value);
  return { method: "POST", body };
};

/** What a client sees of a response, apart from what differs from one call to the next, and from the connection. */
const toSeen = async (response: Response): Promise<object> => {
  const headers = Object.fromEntries(response.headers);
  const fields = ["date", "connection", "keep-alive", "transfer-encoding", "x-request-id"];
  for (const name of fields) delete headers[name];
  if (headers["set-cookie"]?.startsWith("connect.sid")) headers["set-cookie"] = "a session";
  const text = await response.text();
  if (text.includes("urn:uuid")) delete headers["etag"];
  return { status: response.status, headers, text: text.replaceAll(/urn:uuid:[\w-]+/g, "an id") };
};

const cases: readonly (readonly [target: string, init?: RequestInit])[] = [
  ["/users?name=ada"],
  ["/users?name=ada&limit=many"],
  ["/users?name=ada", { method: "HEAD" }],
  ["/users", json({ name: "bob", tags: ["a"] })],
  ["/users", json({ name: 5 })],
  ["/users", json({ name: "ada" })],
  ["/users", { method: "POST", body: "{", headers: { "Content-Type": "application/json" } }],
  ["/users", { method: "POST", body: "a", headers: { "Content-Type": "text/plain" } }],
  ["/users", json({ name: "x".repeat(2_000_000) })],
  ["/users", { method: "DELETE" }],
  ["/users", { method: "OPTIONS", headers: { "Access-Control-Request-Method": "POST" } }],
  ["/who"],
  ["/cookie"],
  ["/native"],
  ["/session"],
  ["/refused"],
  ["/refused", json({ a: "x".repeat(10_000) })],
  ["/fault"],
  ["/file"],
  ["/file", { headers: { Range: "bytes=2-4" } }],
  ["/file", { headers: { Range: "bytes=90-" } }],
  ["/buffer"],
  ["/stream"],
  ["/stream", { method: "HEAD" }],
  ["/stream", { headers: { "Accept-Encoding": "identity" } }],
  [
    "/raw",
    {
      method: "POST",
      body: new Uint8Array(70_000),
      headers: { "Content-Type": "application/octet-stream" },
    },
  ],
  ["/form", { method: "POST", body: new URLSearchParams({ name: "ada" }) }],
  ["/upload", form("file", new File(["abc"], "a.txt"))],
  ["/upload", form("file", "no file")],
  ["/events"],
  ["/redirect"],
  ["/nothing"],
  ["/written"],
  ["/limited"],
  ["/once", json({}, { "Idempotency-Key": "a" })],
  ["/assets/a.txt"],
  ["/assets/b.txt"],
  ["/nope"],
  ["/%zz"],
  ["/livez"],
  ["/readyz"],
];

test.each(cases.map((one, at) => [`${at}: ${one[1]?.method ?? "GET"} ${one[0]}`, ...one] as const))(
  "%s is answered as by a server",
  async (_name, target, init = {}) => {
    const plain = {
      headers: { "Accept-Encoding": "identity" },
      redirect: "manual",
      ...init,
    } as const;
    const expected = await toSeen(await fetch(`${server.url}${target}`, plain));
    const request = new Request(`${server.url}${target}`, { ...plain });
    expect(await toSeen(await own.fetch(request, { remoteAddress: "127.0.0.1" }))).toEqual(
      expected,
    );
  },
);
