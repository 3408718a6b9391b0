// Plays random sequences on two servers, and prints the faults as JSON: reply-sequences-program.ts ENTRY COUNT SEED
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import {
  sequences,
  shorten,
  startPair,
  type Entry,
  type Sequence,
} from "../http/shortcuts/reply-sequences.ts";

const [entry = "", count, seed] = process.argv.slice(2);
const faults: string[] = [];
let doneCount = 0;
process.on("uncaughtException", (error) => faults.push(`uncaught: ${error.message}`));
process.on("unhandledRejection", (error) => faults.push(`unhandled: ${String(error)}`));

const pair = await startPair((await import(pathToFileURL(entry).href)) as Entry);
const all = fc.sample(sequences, { numRuns: Number(count), seed: Number(seed) });

const stop = (): void => {
  process.stdout.write(JSON.stringify({ doneCount, faults }));
  process.exit();
};

/** Ends the program once a sequence neither ends nor fails. */
const stuck = setTimeout(() => {
  faults.push("a sequence hangs");
  stop();
}, 60_000);

/** Plays one sequence after the other, until there are enough faults. */
const work = async (): Promise<void> => {
  while (all.length > 0) {
    if (faults.length > 2) stop();
    const fault = await pair.findFault(all.pop() as Sequence);
    doneCount++;
    stuck.refresh();
    if (fault) faults.push(shorten(fault));
  }
};
await Promise.all(Array.from({ length: 8 }, work));
stop();
