// Measures the maximum cost of a request in the process that serves it: node worst-cases-program.mjs DIRECTORY
import { readFileSync } from "node:fs";
import { createServer, defaultEndpointsFactory as factory, ez } from "sallyport";
import { z } from "zod";

const [directory] = process.argv.slice(2);
const post = (input) => factory.build({ method: "post", input, handler: () => ({}) });
const numbers = z.array(z.number());
const fields = (count, name) =>
  z.object(
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, z.string()])),
  );
const types = (count) => z.union(Array.from({ length: count }, (_, at) => fields(5, `f${at}_`)));
const routing = {
  loose: post(z.looseObject({})),
  strict: post(z.strictObject({ a: z.string().optional() })),
  list: post(z.object({ ids: numbers })),
  union: post(z.object({ ids: z.union([numbers, z.array(z.boolean())]) })),
  unions: post(z.object({ ids: z.array(z.union([z.number(), z.boolean(), z.null()]).catch(0)) })),
  caught: post(z.object({ ids: z.array(z.number().catch(0)) })),
  record: post(z.object({ ids: z.record(z.string().regex(/^x/), z.number()) })),
  emails: post(z.object({ ids: z.array(z.email()) })),
  set: post(
    z.object({
      ids: z
        .array(z.string())
        .transform((list) => new Set(list))
        .pipe(z.set(z.url())),
    }),
  ),
  defaults: post(
    z.object({ ids: z.array(z.object({ a: fields(1, "b").default({ b0: "x" }), c: z.int() })) }),
  ),
  refined: post(z.object({ ids: z.array(z.string().refine(async (text) => text !== "")) })),
  fields: post(z.object({ ids: z.array(fields(20, "f")) })),
  types: post(z.object({ ids: z.array(types(10)) })),
  tagged: post(
    z.object({
      ids: z.array(
        z.discriminatedUnion(
          "kind",
          Array.from({ length: 100 }, (_, at) =>
            fields(10, "f").extend({ kind: z.literal(`k${at}`) }),
          ),
        ),
      ),
    }),
  ),
  form: post(ez.form(z.looseObject({}))),
  raw: post(ez.raw()),
  upload: post(z.looseObject({ file: ez.upload().or(z.array(ez.upload())).optional() })),
  query: factory.build({ input: z.looseObject({}), handler: () => ({}) }),
};
const { servers } = await createServer(
  {
    http: { listen: { port: 0, host: "127.0.0.1" } },
    cors: false,
    logger: { level: "silent" },
    startupLogo: false,
    cookies: { secret: ["one".repeat(11), "two".repeat(11)] },
    upload: { tempFileDir: directory },
  },
  routing,
);
const measured = { last: 0, stall: 0 };
const readPeak = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
/** Returns the CPU time of the main thread so far, in milliseconds; the kernel counts it in steps of ten. */
const readWork = () => {
  const text = readFileSync(`/proc/self/task/${process.pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
// measures CPU time between two turns of the event loop: on a busy machine, elapsed time includes waiting for a core
setInterval(() => {
  const work = readWork();
  measured.stall = Math.max(measured.stall, work - measured.last);
  measured.last = work;
}, 5);
process.on("message", () => {
  process.send({ stall: measured.stall, peak: readPeak(), now: process.memoryUsage().rss });
  measured.stall = 0;
  measured.last = readWork();
});
process.send({ port: servers[0].address().port });
