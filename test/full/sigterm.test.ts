import { Agent, request as httpRequest } from "node:http";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { doAll, ensureBuilt, report, sleep, startProgram, toCount } from "./harness.ts";

const runs = toCount("SALLYPORT_SIGTERM_RUNS", 200);
const clientCount = 8;

beforeAll(ensureBuilt);

/** What one client knows of a request. */
interface Entry {
  readonly id: string;
  /** The status of a complete and right answer, else the code of the error. */
  readonly outcome: number | string;
  readonly at: number;
}

/** Sends one request and reads its whole answer. */
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

/** Asks one request after the other until one gets no answer; the ledger has every one of them. */
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

interface Run {
  readonly exit: number | string | null;
  readonly accepted: readonly string[];
  readonly entries: readonly Entry[];
  readonly signalled: number;
  readonly milliseconds: number;
}

const runOnce = async (moment: number, durations: number[][]): Promise<Run> => {
  const program = await startProgram("sigterm-program.mjs", [], 30_000);
  const { child, port } = program;
  const clients = durations.map((own, index) => runClient(port, `c${index}`, own));
  await sleep(moment);
  const signalled = performance.now();
  child.kill("SIGTERM");
  const entries = (await Promise.all(clients)).flat();
  const exit = await program.ended;
  const accepted = [...program.printed().matchAll(/^begin (\S+)$/gm)].map(([, id]) => id ?? "");
  return { exit, accepted, entries, signalled, milliseconds: performance.now() - signalled };
};

test(`S1: on SIGTERM under load no accepted request is lost, in ${runs} runs`, async () => {
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
  let [acceptedCount, underWay, longest] = [0, 0, 0];

  await doAll(runs, 2, async (index) => {
    const { moment = 0, durations = [] } = plans[index] ?? {};
    const { exit, accepted, entries, signalled, milliseconds } = await runOnce(moment, durations);
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
    `${runs} runs: ${acceptedCount} requests accepted, ${underWay} of them answered after the signal, ${lost.length} lost; refused before they were accepted: ${JSON.stringify(Object.fromEntries(refused))}; exit codes ${JSON.stringify(Object.fromEntries(exits))}; SIGTERM to end ${longest.toFixed(0)} ms at most`,
  );
  expect(lost).toEqual([]);
  expect(wrong).toEqual([]);
  expect([...exits]).toEqual([["0", runs]]);
  expect(underWay).toBeGreaterThan(runs);
});
