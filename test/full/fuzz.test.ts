import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { defaultEndpointsFactory as factory, ez, type Logger } from "sallyport";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../http/harness.ts";
import { badCases } from "./fuzz-inputs.ts";
import {
  fileContent,
  goodCases,
  jsonSchema,
  pathSchema,
  textSchema,
  type Case,
  type Kind,
} from "./fuzz-cases.ts";
import { doAll, report, toCount } from "./harness.ts";

const runs = toCount("SALLYPORT_FUZZ_RUNS", 100_000);
const seed = 20_261_122;
const kinds = Object.keys(badCases) as Kind[];
/** How many requests are generated at a time, from one seed per kind. */
const batchSize = 500;
/** The number of requests at the beginning that are each followed by a valid one; later, only every ninth is. */
const closelyFollowed = 2000;

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-fuzz-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Creates endpoints whose handlers check and record their arguments. */
const createRouting = () => {
  const seen = { runs: 0, invalid: [] as unknown[] };
  const check = (schema: z.ZodType, input: unknown): { ok: true } => {
    seen.runs++;
    if (!schema.safeParse(input).success) seen.invalid.push(input);
    return { ok: true };
  };
  const output = z.object({ ok: z.literal(true) });
  const uploadSchema = z.object({ title: z.string().min(1), content: z.literal(fileContent) });
  const routing = {
    json: factory.build({
      method: "post",
      input: jsonSchema,
      output,
      handler: async ({ input }) => check(jsonSchema, input),
    }),
    form: factory.build({
      method: "post",
      input: ez.form(textSchema),
      output,
      handler: async ({ input }) => check(textSchema, input),
    }),
    // with a slash, because the bare word names the method
    "/query": factory.build({
      input: textSchema,
      output,
      handler: async ({ input }) => check(textSchema, input),
    }),
    "item/:id": factory.build({
      input: pathSchema,
      output,
      handler: async ({ input }) => check(pathSchema, input),
    }),
    upload: factory.build({
      method: "post",
      input: z.object({
        title: z.string().min(1),
        file: ez.upload().refine(({ data }) => data.toString() === fileContent, "Wrong content"),
      }),
      output,
      handler: async ({ input: { title, file } }) =>
        check(uploadSchema, { title, content: file.data.toString() }),
    }),
  };
  return { routing, seen };
};

/** Creates a logger that counts its lines, and keeps the errors. */
const createCounter = () => {
  const lines = { debug: 0, info: 0, warn: 0 };
  const errors: unknown[] = [];
  const logger: Logger = {
    debug: () => void lines.debug++,
    info: () => void lines.info++,
    warn: () => void lines.warn++,
    error: (message, meta) => void errors.push([message, meta]),
  };
  return { logger, lines, errors };
};

const send = (
  agent: Agent,
  port: number,
  { method, target, contentType, body }: Omit<Case, "isBad">,
): Promise<number | string> =>
  new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path: target,
        method,
        agent,
        headers: {
          ...(contentType === undefined ? {} : { "content-type": contentType }),
          ...(body === undefined ? {} : { "content-length": body.length }),
        },
      },
      (response) => {
        response.on("error", fail);
        response.on("end", () => resolve(response.statusCode ?? 0));
        response.resume();
      },
    );
    request.on("error", fail).end(body);
  });

const describeCase = ({ body, ...rest }: Case): object => ({
  ...rest,
  target: rest.target.slice(0, 300),
  ...(body === undefined ? {} : { body: Buffer.from(body).toString("latin1").slice(0, 300) }),
});

/** The number of responses with each status, by kind of input. */
class Tally {
  readonly #counts = new Map<string, Map<number | string, number>>();

  add(name: string, status: number | string): void {
    const counts = this.#counts.get(name) ?? new Map<number | string, number>();
    this.#counts.set(name, counts.set(status, (counts.get(status) ?? 0) + 1));
  }

  toString(): string {
    return [...this.#counts]
      .map(([name, counts]) => {
        const sorted = [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
        return `${name}: ${sorted.map(([status, count]) => `${status} x ${count}`).join(", ")}`;
      })
      .join("\n    ");
  }
}

test(`${runs} bad inputs cause no 5xx, run no handler, and do not affect the next good request`, async () => {
  const { routing, seen } = createRouting();
  const { logger, lines, errors } = createCounter();
  const server = await start(routing, {
    logger,
    upload: {
      tempFileDir: directory,
      limits: { fileSize: 10_000, memory: 100, files: 3, fields: 10, fieldSize: 1000 },
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const tally = new Tally();
  const faults: unknown[] = [];
  let [sent, bad, good, goodByChance] = [0, 0, 0, 0];

  const sendGood = async (kind: Kind, after: Case): Promise<void> => {
    const status = await send(agent, server.port, goodCases[kind]);
    tally.add("good", status);
    good++;
    if (status !== 200) faults.push({ good: kind, status, after: describeCase(after) });
  };

  const sendCase = async (kind: Kind, given: Case, number: number): Promise<void> => {
    const status = await send(agent, server.port, given);
    tally.add(kind, status);
    sent++;
    const isAnswer = typeof status === "number" && status < 500;
    if (given.isBad) bad++;
    else if (status === 200) goodByChance++;
    if (!isAnswer || (given.isBad && status < 400)) faults.push({ status, ...describeCase(given) });
    if (number < closelyFollowed || number % 9 === 0) await sendGood(kind, given);
  };

  const begin = performance.now();
  for (let first = 0; first < runs && faults.length < 10; first += batchSize) {
    const numRuns = Math.ceil(Math.min(batchSize, runs - first) / kinds.length);
    const cases = kinds.flatMap((kind, index) =>
      fc
        .sample(badCases[kind], { seed: seed + first + index, numRuns })
        .map((given) => ({ kind, given })),
    );
    // one request of each kind in turn, so that each connection has several kinds
    await doAll(cases.length, 8, async (index) => {
      const next = cases[(index % kinds.length) * numRuns + Math.floor(index / kinds.length)];
      if (next) await sendCase(next.kind, next.given, first + index);
    });
  }
  agent.destroy();

  report(
    `${sent} inputs in ${((performance.now() - begin) / 1000).toFixed(0)} s (seed ${seed}), ${bad} of them bad for certain, ${goodByChance} of the others good by chance; ${seen.runs} handler runs, ${seen.invalid.length} on invalid input; log: ${JSON.stringify(lines)}, ${errors.length} errors\n    ${tally.toString()}`,
  );
  expect(faults).toEqual([]);
  expect(seen.invalid).toEqual([]);
  expect(seen.runs).toBe(good + goodByChance);
  expect(errors).toEqual([]);
  await expect.poll(() => readdirSync(directory)).toEqual([]);
});
