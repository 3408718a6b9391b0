// Puts small defects (mutants) into copies of the sources, one at a time, and counts how many of them the tests find.
//
// node scripts/mutants.js [--count 300] [--seed 1] [--processes 2] [--room server] [--retry] [--list] [--report]
//
// The same seed gives the same sample. Results are kept in the system's temporary directory, so that a run can be
// interrupted and resumed; --retry tests the survivors again, and --report prints the results so far.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findFunction, findTests } from "./mutants/find-tests.js";
import { applyMutant, listMutants } from "./mutants/list-mutants.js";

const goal = 85;
/** The minimum number of mutants from each room in the sample, unless the room has fewer. */
const leastOfRoom = 20;

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    processes: { type: "string", default: "2" },
    room: { type: "string" },
    retry: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
  },
});

const root = fileURLToPath(new URL("../", import.meta.url));
const toHash = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
const state = join(tmpdir(), `sallyport-mutants-${toHash(root)}`);
mkdirSync(state, { recursive: true });
setPriority(constants.priority.PRIORITY_LOW);

const readAll = (...folders) =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .toSorted()
      .map((file) => [`${folder}/${file}`, readFileSync(join(root, folder, file), "utf8")]),
  );
const sources = new Map(readAll("src").filter(([file]) => !/\.test(-d)?\.ts$/.test(file)));
const toRoom = (file) => (file.split("/").slice(1, 3).at(-1) ?? "").replace(/\.ts$/, "");

/** Mutants known to behave like the original, each with its reason. */
const equivalent = JSON.parse(readFileSync(join(root, "test/mutants/equivalent.json"), "utf8"));
const isEquivalent = ({ file, code, mutation }) =>
  equivalent.some((one) => one.file === file && one.code === code && one.mutation === mutation);

/** Chooses the mutants to test: the same ones for the same seed, even if other lines have changed. */
const sample = () => {
  const order = (mutant) => toHash(`${options.seed}|${mutant.id}`);
  const all = [...sources]
    .flatMap(([file, text]) => listMutants(file, text))
    .filter((mutant) => !isEquivalent(mutant) && applyMutant(mutant, sources.get(mutant.file)))
    .map((mutant) => ({ ...mutant, room: toRoom(mutant.file), order: order(mutant) }))
    .toSorted((one, other) => (one.order < other.order ? -1 : 1));
  const rooms = Map.groupBy
    ? Map.groupBy(all, ({ room }) => room)
    : all.reduce((map, one) => map.set(one.room, [...(map.get(one.room) ?? []), one]), new Map());
  const chosen = [...rooms].flatMap(([room, mutants]) => {
    if (options.room !== undefined && options.room !== room) return [];
    const share = Math.round((Number(options.count) * mutants.length) / all.length);
    return mutants.slice(0, options.room ? Number(options.count) : Math.max(share, leastOfRoom));
  });
  // in random order, so that even an interrupted run has results for each room
  return chosen.toSorted((one, other) => (one.order < other.order ? -1 : 1));
};

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));

/** Returns a Vitest configuration that runs test files in the order of the arguments, in a single process. */
const config = (tree) => `
import { defineConfig } from "vitest/config";
import { toAlias } from "./vitest.config.ts";
const order = process.argv.filter((one) => one.endsWith(".test.ts"));
const toRank = ({ moduleId }) => order.findIndex((file) => moduleId.endsWith(file));
export default defineConfig({
  root: ${JSON.stringify(tree)},
  cacheDir: ".cache",
  resolve: { alias: toAlias("src") },
  test: {
    include: ["src/**/*.test.ts", "test/http/**/*.test.ts"],
    environment: "node",
    setupFiles: ["test/http/setup.ts"],
    testTimeout: 10_000,
    expect: { poll: { timeout: 5000 } },
    fileParallelism: false,
    sequence: {
      sequencer: class {
        async shard(files) { return files; }
        async sort(files) { return files.toSorted((one, other) => toRank(one) - toRank(other)); }
      },
    },
  },
});
`;

/** Copies the tree, or brings an existing copy up to date. */
const copyTree = (name) => {
  const tree = join(realpathSync(state), name);
  mkdirSync(tree, { recursive: true });
  for (const entry of readdirSync(root))
    if (!["node_modules", "dist", "coverage", ".git"].includes(entry))
      cpSync(join(root, entry), join(tree, entry), { recursive: true });
  writeFileSync(join(tree, "mutants.config.ts"), config(tree));
  if (!existsSync(join(tree, "node_modules")))
    symlinkSync(realpathSync(join(root, "node_modules")), join(tree, "node_modules"));
  return tree;
};

/** Runs the given test files, or all of them; a run that exceeds the limit is killed with all its processes. */
const runTests = (tree, files, env = {}, limit = 3600) =>
  new Promise((resolve) => {
    const begin = performance.now();
    const args = ["run", "--config", "mutants.config.ts", "--bail", files.length > 0 ? "1" : "0"];
    const child = spawn(process.execPath, [vitest, ...args, ...files], {
      cwd: tree,
      detached: true,
      stdio: "ignore",
      env: { ...process.env, ...env },
    });
    const toSeconds = () => (performance.now() - begin) / 1000;
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, limit * 1000);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code: isOver ? "timeout" : code, seconds: toSeconds() });
    });
  });

const readTests = async () => {
  const known = join(state, "tests.json");
  const version = toHash(JSON.stringify(readAll("src", "test")));
  const last = existsSync(known) ? JSON.parse(readFileSync(known, "utf8")) : undefined;
  if (last?.version === version) return last;
  console.log(
    "Running all tests on the unchanged sources, and a second time to record which functions they call …",
  );
  const tree = copyTree("calls");
  const [untouched, found] = await Promise.all([
    runTests(copyTree("copy-0"), []),
    findTests(tree, sources, runTests),
  ]);
  if (untouched.code !== 0) {
    console.error(
      "The tests fail on the unchanged sources, so every mutant would count as killed.",
    );
    process.exit(2);
  }
  const fresh = { version, ...found };
  writeFileSync(known, JSON.stringify(fresh));
  return fresh;
};

const resultFile = join(state, "results.jsonl");
const toKey = ({ id, file }) => `${id}|${toHash(sources.get(file))}`;
const readResults = () =>
  new Map(
    (existsSync(resultFile) ? readFileSync(resultFile, "utf8").trim().split("\n") : [])
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
      .map((result) => [result.key, result.outcome]),
  );

const mutants = sample();
if (options.list) {
  for (const { file, line, mutation } of mutants) console.log(`${file}:${line}  ${mutation}`);
  process.exit(0);
}

const outcomes = readResults();

/** Prints the survivors and the score per room so far; returns the score in percent. */
const report = () => {
  const judged = mutants.filter((mutant) => outcomes.has(toKey(mutant)));
  const survivors = judged.filter((mutant) => outcomes.get(toKey(mutant)) === "survived");
  console.log("\nSurvivors:");
  for (const { file, line, code, mutation } of survivors)
    console.log(`${file}:${line}\n    ${code}\n    ${mutation}`);
  const toShare = (all, left) => (1 - left / Math.max(all, 1)) * 100;
  console.log("\nRoom        Mutants  Survived  Killed");
  const rooms = new Set(judged.map(({ room }) => room));
  for (const room of [...rooms, "all"]) {
    const isOf = (mutant) => room === "all" || mutant.room === room;
    const [all, left] = [judged.filter(isOf).length, survivors.filter(isOf).length];
    const counts = `${String(all).padStart(7)}${String(left).padStart(10)}`;
    console.log(`${room.padEnd(12)}${counts}${toShare(all, left).toFixed(1).padStart(6)} %`);
  }
  return toShare(judged.length, survivors.length);
};

if (options.report) {
  report();
  process.exit(0);
}

const { tests, seconds: longest } = await readTests();
const isDone = (mutant) => {
  const outcome = outcomes.get(toKey(mutant));
  return outcome !== undefined && !(options.retry && outcome === "survived");
};
const waiting = mutants.filter((mutant) => !isDone(mutant));

/** The number of functions that each test file calls: a file that calls only a few is probably meant to test them. */
const breadth = new Map();
for (const files of Object.values(tests))
  for (const file of files) breadth.set(file, (breadth.get(file) ?? 0) + 1);

/** Lists the test files that call the mutated function: its unit test first, then those that call the fewest functions. */
const listTests = ({ file, start }) => {
  const found = tests[`${file}:${findFunction(sources.get(file), start)}`] ?? [];
  const own = `${basename(file, ".ts")}.test.ts`;
  const toRank = (test) => (basename(test) === own ? 0 : (breadth.get(test) ?? 0));
  return found.toSorted((one, other) => toRank(one) - toRank(other));
};

const judge = async (mutant, tree) => {
  const files = listTests(mutant);
  if (files.length === 0) return "survived";
  const path = join(tree, mutant.file);
  const text = sources.get(mutant.file);
  writeFileSync(path, applyMutant(mutant, text));
  try {
    const { code } = await runTests(tree, files, {}, 3 * longest + 30);
    return code === "timeout" ? "timeout" : code === 0 ? "survived" : "killed";
  } finally {
    writeFileSync(path, text);
  }
};

let done = mutants.length - waiting.length;
const work = async (_unused, index) => {
  const tree = copyTree(`copy-${index}`);
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const outcome = await judge(mutant, tree);
    const key = toKey(mutant);
    outcomes.set(key, outcome);
    appendFileSync(resultFile, `${JSON.stringify({ key, outcome })}\n`);
    const { file, line, mutation } = mutant;
    console.log(`${++done}/${mutants.length}  ${outcome}  ${file}:${line}  ${mutation}`);
  }
};
await Promise.all(Array.from({ length: Number(options.processes) }, work));

const score = report();
console.log(`${score.toFixed(1)} % of the mutants were killed; the goal is ${goal} %.`);
process.exit(score >= goal ? 0 : 1);
