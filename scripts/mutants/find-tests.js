// Finds out which test files call which functions, by running all tests once with instrumented sources.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFunction, parse, walk } from "./syntax.js";

/** Returns the start of the innermost function around an offset, or -1 if there is none. */
export const findFunction = (text, offset) => {
  let found = -1;
  walk(parse(text), (node) => {
    if (isFunction(node) && node.start <= offset && offset < node.end) found = node.start;
  });
  return found;
};

/** Adds calls to a source that report when the source is loaded, and when each of its functions is called. */
const instrument = (file, text) => {
  const report = (start) => `globalThis.reportCall?.(${JSON.stringify(`${file}:${start}`)})`;
  const inserts = [[text.length, `;${report(-1)};\n`]];
  walk(parse(text), (node) => {
    if (!isFunction(node) || !node.body) return;
    const { body, start } = node;
    if (body.type === "BlockStatement") inserts.push([body.start + 1, `${report(start)};`]);
    else inserts.push([body.start, `(${report(start)}, `], [body.end, ")"]);
  });
  let instrumented = text;
  for (const [at, what] of inserts.toSorted(([one], [other]) => other - one))
    instrumented = instrumented.slice(0, at) + what + instrumented.slice(at);
  return instrumented;
};

/** Returns a module to preload in each process, which records each called function once, with the test file. */
const reporter = (folder) => `
import { appendFileSync } from "node:fs";
const seen = new Set();
globalThis.reportCall = (name) => {
  if (seen.has(name)) return;
  seen.add(name);
  process.env.MUTANTS_TEST_FILE ??= globalThis.__vitest_worker__?.filepath;
  const test = process.env.MUTANTS_TEST_FILE;
  if (test) appendFileSync(${JSON.stringify(folder)} + "/" + process.pid, name + "\\t" + test + "\\n");
};
`;

/**
 * Runs all tests once in a copy of the tree, and returns the test files that call each function.
 *
 * @param tree a copy of the tree, whose sources are changed
 * @param run a function that runs the tests in the copy
 */
export const findTests = async (tree, sources, run) => {
  const folder = join(tree, ".calls");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const preload = join(folder, "preload.mjs");
  writeFileSync(preload, reporter(folder));
  for (const [file, text] of sources) writeFileSync(join(tree, file), instrument(file, text));
  const { code, seconds } = await run(tree, [], {
    NODE_OPTIONS: `--import file://${preload}`,
  });
  if (code !== 0)
    console.log(
      "Some tests fail on the instrumented sources; the functions that they called are counted nevertheless.",
    );
  for (const [file, text] of sources) writeFileSync(join(tree, file), text);
  const tests = {};
  for (const name of readdirSync(folder))
    if (name !== "preload.mjs")
      for (const line of readFileSync(join(folder, name), "utf8").trim().split("\n")) {
        const [where = "", test = ""] = line.split("\t");
        const file = test.slice(tree.length + 1);
        if (!(tests[where] ??= []).includes(file)) tests[where].push(file);
      }
  return { seconds, tests };
};
