import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { doAll, ensureBuilt, report, sleep, startProgram, toCount } from "./harness.ts";

const runs = toCount("SALLYPORT_SIGTERM_RUNS", 200);
const clientCount = 8;
/** The number of clients that send pipelined requests. */
const pipelinedCount = 3;

beforeAll(ensureBuilt);

/** A client's record of a request. */
interface Entry {
  readonly id: string;
  /** The status if the response was complete and correct; otherwise, the error code. */
  readonly outcome: number | string;
  readonly at: number;
}

/** Sends one request and reads its whole response. */
const ask = (agent: Agent, port: number, id: string, ms: number): Promise<Entry> =>
  new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({ id, outcome: error.code ?? error.message, at: performance.now() });
    const isPost = ms % 2 === 1;
    const body = isPost ? JSON.stringify({ id, ms }) : "";
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path: isPost ? "/work" : `/work?id=${id}&ms=${ms}`,
        method: isPost ? "POST" : "GET",
        agent,
        headers: isPost
          ? { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
          : {},
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("error", fail);
        response.on("end", () => {
          const isRight = text === `{"status":"success","data":{"id":"${id}"}}`;
          const outcome = isRight ? (response.statusCode ?? 0) : `wrong: ${text}`;
          resolve({ id, outcome, at: performance.now() });
        });
      },
    );
    request.on("error", fail).end(body);
  });

/** Sends one request after another until one gets no response, and records each in the ledger. */
const runClient = async (port: number, name: string, durations: number[]): Promise<Entry[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ledger: Entry[] = [];
  for (let number = 0; number < 10_000; number++) {
    const ms = durations[number % durations.length] ?? 0;
    const entry = await ask(agent, port, `${name}-${number}`, ms);
    ledger.push(entry);
    if (entry.outcome !== 200) break;
  }
  agent.destroy();
  return ledger;
};

const toBytes = (id: string, ms: number): string =>
  `GET /work?id=${id}&ms=${ms} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Sends six requests at once, repeatedly, until the connection ends. */
const runPipelined = async (port: number, name: string, durations: number[]): Promise<Entry[]> => {
  // the client keeps its side of the connection open after the server has ended its own, as on a broken network
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  const ledger: Entry[] = [];
  let text = "";
  const state = { isOver: false };
  let onData = (): void => undefined;
  socket.on("data", (piece: Buffer) => {
    text += piece.toString("latin1");
    onData();
  });
  for (const event of ["end", "close"])
    socket.on(event, () => {
      state.isOver = true;
      onData();
    });
  for (let number = 0; !state.isOver; number += 6) {
    const ids = Array.from({ length: 6 }, (_, index) => `${name}-${number + index}`);
    text = "";
    const has = (id: string): boolean => text.includes(`"id":"${id}"}}`);
    socket.write(ids.map((id, at) => toBytes(id, durations[(number + at) % 20] ?? 0)).join(""));
    await new Promise<void>((resolve) => {
      onData = () => {
        if (state.isOver || ids.every(has)) resolve();
      };
      onData();
    });
    const at = performance.now();
    for (const id of ids) ledger.push({ id, outcome: has(id) ? 200 : "ECONNRESET", at });
  }
  setTimeout(() => socket.destroy(), 2000).unref();
  return ledger;
};

/** Opens a connection, sends the given data, and resolves to everything received when the connection closes. */
const listen = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
    socket.on("error", () => undefined).on("close", () => resolve(text));
    if (bytes !== "") socket.write(bytes);
  });

interface Run {
  readonly exit: number | string | null;
  /** How long the process ran after the last response or the signal, whichever came later, in milliseconds. */
  readonly idle: number;
  /** Everything received from the open event stream. */
  readonly stream: string;
  readonly accepted: readonly string[];
  readonly entries: readonly Entry[];
  readonly signalled: number;
  readonly milliseconds: number;
}

const runOnce = async (moment: number, durations: number[][]): Promise<Run> => {
  const program = await startProgram("sigterm-program.mjs", [], 30_000);
  const { child, port } = program;
  const clients = durations.map((own, index) =>
    index < pipelinedCount
      ? runPipelined(port, `p${index}`, own)
      : runClient(port, `c${index}`, own),
  );
  const silent = [listen(port, ""), listen(port, "")];
  const streaming = listen(port, "GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
  await sleep(moment);
  const signalled = performance.now();
  child.kill("SIGTERM");
  const entries = (await Promise.all(clients)).flat();
  const exit = await program.ended;
  await Promise.all(silent);
  const idle = Number(/^idle (.*)$/m.exec(program.printed())?.[1]);
  const accepted = [...program.printed().matchAll(/^begin (\S+)$/gm)].map(([, id]) => id ?? "");
  const milliseconds = performance.now() - signalled;
  return { exit, idle, stream: await streaming, accepted, entries, signalled, milliseconds };
};

test(`S1, S13, S14, S15: on SIGTERM under load no accepted request is lost, and the process ends soon after, in ${runs} runs`, async () => {
  const plan = fc.record({
    moment: fc.integer({ min: 0, max: 250 }),
    durations: fc.array(
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 20, maxLength: 20 }),
      { minLength: clientCount, maxLength: clientCount },
    ),
  });
  const plans = fc.sample(plan, { seed: 20_261_120, numRuns: runs });
  const exits = new Map<string, number>();
  const refused = new Map<string, number>();
  const lost: string[] = [];
  const wrong: string[] = [];
  let [acceptedCount, underWay, longest, longestIdle] = [0, 0, 0, 0];

  await doAll(runs, 2, async (index) => {
    const { moment = 0, durations = [] } = plans[index] ?? {};
    const run = await runOnce(moment, durations);
    const { exit, idle, stream, accepted, entries, signalled, milliseconds } = run;
    longestIdle = Math.max(longestIdle, idle);
    if (!(idle < 100)) wrong.push(`run ${index}: ended ${idle} ms after its last request`);
    // a stream that had begun before the signal ends with its last chunk
    if (stream !== "" && !stream.endsWith("0\r\n\r\n"))
      wrong.push(`run ${index}: a stream was cut`);
    exits.set(String(exit), (exits.get(String(exit)) ?? 0) + 1);
    longest = Math.max(longest, milliseconds);
    acceptedCount += accepted.length;
    const answered = new Set(entries.flatMap(({ id, outcome }) => (outcome === 200 ? [id] : [])));
    const begun = new Set(accepted);
    if (begun.size !== accepted.length) wrong.push(`run ${index}: a request was accepted twice`);
    for (const { id, outcome } of entries) {
      if (outcome === 200) continue;
      if (begun.has(id)) lost.push(`run ${index} (SIGTERM at ${moment} ms): ${id}: ${outcome}`);
      else if (["ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(String(outcome)))
        refused.set(String(outcome), (refused.get(String(outcome)) ?? 0) + 1);
      else wrong.push(`run ${index}: ${id}: ${outcome}`);
    }
    for (const id of answered) if (!begun.has(id)) wrong.push(`run ${index}: ${id}: no handler`);
    underWay += entries.filter(({ outcome, at }) => outcome === 200 && at > signalled).length;
  });

  report(
    `${runs} runs: ${acceptedCount} requests accepted, ${underWay} of them answered after the signal, ${lost.length} lost; refused before they were accepted: ${JSON.stringify(Object.fromEntries(refused))}; exit codes ${JSON.stringify(Object.fromEntries(exits))}; SIGTERM to end ${longest.toFixed(0)} ms at most, ${longestIdle.toFixed(0)} ms after the last request`,
  );
  expect(lost).toEqual([]);
  expect(wrong).toEqual([]);
  expect([...exits]).toEqual([["0", runs]]);
  expect(underWay).toBeGreaterThan(runs);
});
