// Tests entries of the table in each place, and prints a line of JSON for each outcome.
import { parseArgs } from "node:util";
import { entries } from "./entries.mjs";
import { placeNames, serve } from "./places.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { list: { type: "boolean" }, place: { type: "string", multiple: true } },
});

const limit = 60_000;
const floating = [];
process.on("unhandledRejection", (reason) => floating.push(reason));
process.on("uncaughtException", (error) => floating.push(error));

const withTimeout = (work) =>
  Promise.race([
    work,
    new Promise((_resolve, reject) => {
      setTimeout(() => reject(new Error(`not done after ${limit} ms`)), limit).unref();
    }),
  ]);

/** Serves an entry, and sends the requests that prove its effect; fails if a fault is logged meanwhile. */
const prove = async (entry, place) => {
  const spec = await entry.create(place);
  const lines = [];
  const served = await serve(place, { ...spec, lines });
  try {
    await spec.prove(served.client, served);
  } finally {
    await served.close();
    await spec.dispose?.();
  }
  if (!entry.provokesFaults && lines.length > 0) throw new Error(`logged: ${lines.join("\n")}`);
};

const print = (outcome) => void process.stdout.write(`\n${JSON.stringify({ outcome })}\n`);

if (values.list) {
  const toShown = ({ name, packages, effect, notIn = {}, isolated }) => ({
    ...{ name, packages, effect, notIn, isolated },
  });
  process.stdout.write(JSON.stringify(entries.map(toShown)));
} else {
  for (const name of positionals) {
    const entry = entries.find((entry) => entry.name === name);
    if (!entry) throw new Error(`There is no entry ${name}`);
    for (const place of values.place ?? placeNames) {
      let failure;
      try {
        await withTimeout(prove(entry, place));
      } catch (error) {
        failure = error;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
      failure ??= floating[0] && new Error(`floating: ${floating[0]?.stack ?? floating[0]}`);
      floating.length = 0;
      print({ name, place, error: failure ? String(failure.stack ?? failure) : null });
    }
  }
  process.exit(0);
}
