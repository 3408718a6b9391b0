// Finds which test files run which functions, by running all tests once with instrumented sources.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFunction, parse, walk } from "./syntax.js";

/** The innermost function around an offset: its start, or -1 for the file itself. */
export const findFunction = (text, offset) => {
  let found = -1;
  walk(parse(text), (node) => {
    if (isFunction(node) && node.start <= offset && offset < node.end) found = node.start;
  });
  return found;
};

/** A source whose functions report when they are called, and which reports when it is loaded. */
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

/** Loaded into each process of the run: writes each called function once per process, with the test file. */
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
 * Runs all tests once in a copy of the tree, and returns the test files by function.
 *
 * @param tree a copy of the tree, whose sources it changes
 * @param run runs the tests of the copy
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
      "Some tests fail with the instrumentation; the functions that they called count nevertheless.",
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
