// A server that reports its state on request: node --expose-gc connections-program.mjs DIRECTORY [KEY CERTIFICATE]
import { createHash } from "node:crypto";
import { createReadStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer, defaultEndpointsFactory as factory, ez, ServeStatic } from "sallyport";
import { z } from "zod";

const [directory, key, cert] = process.argv.slice(2);
const file = join(directory, "static", "file.bin");
writeFileSync(file, Buffer.alloc(5000, "f"));

const faults = [];
process.on("unhandledRejection", (error) => faults.push(`unhandled rejection: ${error?.stack}`));
process.on("uncaughtException", (error) => faults.push(`uncaught: ${error?.stack}`));

let running = 0;
const runningOf = new WeakMap();
/** A factory whose endpoints detect whether two requests on one connection run at once. */
const counted = factory.addMiddleware({
  handler: async ({ request, response }) => {
    const { socket } = request;
    const before = runningOf.get(socket) ?? 0;
    if (before > 0) faults.push(`two requests of one connection: ${request.originalUrl}`);
    runningOf.set(socket, before + 1);
    running++;
    const forget = () => {
      response.off("finish", forget).off("close", forget);
      runningOf.set(socket, runningOf.get(socket) - 1);
      running--;
    };
    response.once("finish", forget).once("close", forget);
  },
});
const md5 = (content) => createHash("md5").update(content).digest("hex");
const echo = (input) => ({ id: input.id, digest: md5(input.pad ?? "") });
const text = z.object({ id: z.coerce.number(), pad: z.string().optional() });
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const routing = {
  echo: counted.build({ input: text, handler: ({ input }) => echo(input) }),
  slow: counted.build({
    input: text.extend({ ms: z.coerce.number() }),
    handler: async ({ input }) => {
      await sleep(input.ms);
      return echo(input);
    },
  }),
  json: counted.build({ method: "post", input: text, handler: ({ input }) => echo(input) }),
  upload: counted.build({
    method: "post",
    input: z.object({ id: z.coerce.number(), file: ez.upload() }),
    handler: ({ input: { id, file: sent } }) => ({ id, digest: md5(sent.data) }),
  }),
  big: counted.buildVoid({
    handler: ({ response }) => void response.type("text/plain").end(Buffer.alloc(300_000, "b")),
  }),
  piped: counted.buildVoid({
    handler: ({ response }) => void createReadStream(file).pipe(response.type("text/plain")),
  }),
  /** An endpoint that reads the beginning of a body, and ignores the rest. */
  early: counted.build({
    method: "put",
    handler: async ({ request }) => {
      if (!request.readableEnded)
        await Promise.race([new Promise((resolve) => request.once("data", resolve)), sleep(5)]);
      return { id: 0, digest: "" };
    },
  }),
  files: new ServeStatic(join(directory, "static")),
};

const listen = { port: 0, host: "127.0.0.1" };
const errors = [];
const ignore = () => undefined;
const { servers } = await createServer(
  {
    http: { listen },
    ...(key
      ? { https: { listen, options: { key: readFileSync(key), cert: readFileSync(cert) } } }
      : {}),
    cors: false,
    bodyLimit: 300_000,
    inputSources: { put: ["params"] },
    startupLogo: false,
    logger: {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (message, meta) => errors.push(`${message} ${meta?.error?.stack}`),
    },
    upload: { tempFileDir: join(directory, "temporary"), limits: { memory: 20_000 } },
  },
  routing,
);

const count = (server) =>
  new Promise((resolve) => server.getConnections((_error, number) => resolve(number)));
process.on("message", async () => {
  globalThis.gc();
  const connections = await Promise.all(servers.map(count));
  process.send({
    connections: connections.reduce((sum, number) => sum + number),
    running,
    descriptors: readdirSync("/proc/self/fd").length,
    files: readdirSync(join(directory, "temporary")).length,
    timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
    heap: process.memoryUsage().heapUsed,
    faults: [...faults, ...errors],
  });
});
process.send({ ports: servers.map((server) => server.address().port) });
