import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../harness.ts";
import { ensureNodes } from "../node-versions.ts";
import { compile, ensurePackages, runProgram, writeRecipe } from "./fixture.ts";
import { places, toTable, type Entry, type Outcome } from "./table.ts";

const docs = fileURLToPath(new URL("../../../docs/express.md", import.meta.url));
const page = readFileSync(docs, "utf8");

let entries: readonly Entry[] = [];
const outcomes: Outcome[] = [];

const drive = (names: readonly string[], instrument?: string, node?: string): Outcome[] => {
  const options = node === undefined ? {} : { node };
  const { output, errors, status } = runProgram("run.mjs", names, instrument, options);
  if (status !== 0) throw new Error(`${names.join(", ")} ended with ${status}\n${errors}`);
  return [...output.matchAll(/^\{"outcome":(.*)\}$/gm)].map(
    ([, line = ""]) => JSON.parse(line) as Outcome,
  );
};

/** Returns the outcomes that differ from those stated in their entries. */
const findWrong = (outcomes: readonly Outcome[]): readonly Outcome[] => {
  const notIn = new Map(entries.map((entry) => [entry.name, entry.notIn]));
  return outcomes.filter(
    ({ name, place, error }) => (error === null) === place in (notIn.get(name) ?? {}),
  );
};

const listShared = (): string[] =>
  entries.filter(({ isolated }) => !isolated).map(({ name }) => name);

beforeAll(() => {
  ensureBuilt();
  ensurePackages();
  entries = JSON.parse(runProgram("run.mjs", ["--list"]).output) as readonly Entry[];
  outcomes.push(...drive(listShared()));
  // a package that replaces parts of Node or Express runs in its own process
  for (const { name, isolated } of entries)
    if (isolated) outcomes.push(...drive([name], isolated === true ? undefined : isolated));
}, 900_000);

describe("packages from the Express ecosystem", () => {
  test("include at least 45, each tested in four places", () => {
    expect(entries.length).toBeGreaterThanOrEqual(45);
    expect(outcomes.length).toBe(entries.length * places.length);
    expect(entries.filter(({ notIn }) => "express" in notIn)).toEqual([]);
  });

  test.each(places)("have their effect, or a stated reason why they have none: %s", (place) => {
    expect(findWrong(outcomes.filter((one) => one.place === place))).toEqual([]);
  });

  test("also work in hooks and with attachRouting if they work on plain Express", () => {
    expect(entries.filter(({ notIn }) => "hooks" in notIn || "attach" in notIn)).toEqual([]);
  });

  test("have the same effect on the other versions of Node.js, except for packages that need their own process", () => {
    const others = [...ensureNodes()].filter(([, node]) => node !== process.execPath);
    expect(others.length).toBeGreaterThanOrEqual(2);
    for (const [version, node] of others) {
      const outcomes = drive(listShared(), undefined, node);
      expect([version, outcomes.length]).toEqual([version, listShared().length * places.length]);
      expect([version, findWrong(outcomes)]).toEqual([version, []]);
    }
  });

  test("are listed in docs/express.md with their current results", () => {
    const table = `<!-- packages -->\n\n${toTable(entries, outcomes)}\n\n<!-- /packages -->`;
    const updated = page.replace(/<!-- packages -->[\s\S]*<!-- \/packages -->/, () => table);
    if (updated !== page) writeFileSync(docs, updated);
    // if this fails, the page has been rewritten: check and commit it
    expect(page).toBe(updated);
  });
});

describe("the recipes of docs/express.md and docs/fetch.md", () => {
  const fetchPage = readFileSync(docs.replace("express.md", "fetch.md"), "utf8");
  const recipes = [
    ...`${page}${fetchPage}`.matchAll(/<!-- recipe: (\S+)\.ts -->\s*```ts\n([\s\S]*?)```/g),
  ].map(([, name = "", code = ""]) => ({ name, code: code.replace("8090", "0") }));
  const instruments: Readonly<Record<string, string>> = {
    sentry: "instrument-sentry.mjs",
    "sentry-attached": "instrument-sentry.mjs",
    opentelemetry: "instrument-opentelemetry.mjs",
  };

  test("compile under strict", () => {
    const files = recipes.map(({ name, code }) => writeRecipe(`${name}.ts`, code));
    expect(files.length).toBeGreaterThanOrEqual(9);
    expect(compile(files, { skipLibCheck: true })).toBe("");
  });

  test.each(recipes.map(({ name }) => name))("%s has the documented effect", (name) => {
    const { output, errors } = runProgram("recipes.mjs", [name], instruments[name]);
    expect(output + errors).toContain("\nproven\n");
    // a recipe must not cause warnings
    expect(output.match(/ warn: .*/g)).toBeNull();
  });
});

test.each(["pino", "winston", "bunyan"])(
  "LoggerOverrides can extend the whole type of %s's loggers, with all declarations checked",
  (name) => {
    expect(compile([`types/${name}.ts`], { skipLibCheck: false, noEmit: true })).toBe("");
  },
);
