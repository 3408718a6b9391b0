import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../harness.ts";
import { compile, ensurePackages, runProgram, writeRecipe } from "./fixture.ts";
import { places, toTable, type Entry, type Outcome } from "./table.ts";

const docs = fileURLToPath(new URL("../../../docs/express.md", import.meta.url));
const page = readFileSync(docs, "utf8");

let entries: readonly Entry[] = [];
const outcomes: Outcome[] = [];

const drive = (names: readonly string[], instrument?: string): void => {
  const { output, errors, status } = runProgram("run.mjs", names, instrument);
  for (const [, line = ""] of output.matchAll(/^\{"outcome":(.*)\}$/gm))
    outcomes.push(JSON.parse(line) as Outcome);
  if (status !== 0) throw new Error(`${names.join(", ")} ended with ${status}\n${errors}`);
};

beforeAll(() => {
  ensureBuilt();
  ensurePackages();
  entries = JSON.parse(runProgram("run.mjs", ["--list"]).output) as readonly Entry[];
  drive(entries.filter(({ isolated }) => !isolated).map(({ name }) => name));
  // what exchanges parts of Node or Express has a process of its own
  for (const { name, isolated } of entries)
    if (isolated) drive([name], isolated === true ? undefined : isolated);
}, 900_000);

describe("packages of the ecosystem", () => {
  test("there are at least 45, and each was driven in four places", () => {
    expect(entries.length).toBeGreaterThanOrEqual(45);
    expect(outcomes.length).toBe(entries.length * places.length);
    expect(entries.filter(({ notIn }) => "express" in notIn)).toEqual([]);
  });

  test.each(places)(
    "each has its effect, unless the reason is given why it has none: %s",
    (place) => {
      const isWanted = new Map(entries.map(({ name, notIn }) => [name, !(place in notIn)]));
      const wrong = outcomes.filter(
        (one) => one.place === place && (one.error === null) !== isWanted.get(one.name),
      );
      expect(wrong).toEqual([]);
    },
  );

  test("what works on plain Express works in hooks and under attachRouting", () => {
    expect(entries.filter(({ notIn }) => "hooks" in notIn || "attach" in notIn)).toEqual([]);
  });

  test("docs/express.md shows the table as it is", () => {
    const table = `<!-- packages -->\n\n${toTable(entries, outcomes)}\n\n<!-- /packages -->`;
    const updated = page.replace(/<!-- packages -->[\s\S]*<!-- \/packages -->/, () => table);
    if (updated !== page) writeFileSync(docs, updated);
    // where this fails, the page has been written anew: look at it and commit it
    expect(page).toBe(updated);
  });
});

describe("the recipes of docs/express.md", () => {
  const recipes = [...page.matchAll(/<!-- recipe: (\S+)\.ts -->\s*```ts\n([\s\S]*?)```/g)].map(
    ([, name = "", code = ""]) => ({ name, code: code.replace("listen: 8090", "listen: 0") }),
  );
  const instruments: Readonly<Record<string, string>> = {
    sentry: "instrument-sentry.mjs",
    opentelemetry: "instrument-opentelemetry.mjs",
  };

  test("compile under strict", () => {
    const files = recipes.map(({ name, code }) => writeRecipe(`${name}.ts`, code));
    expect(files.length).toBeGreaterThanOrEqual(9);
    expect(compile(files, { skipLibCheck: true })).toBe("");
  });

  test.each(recipes.map(({ name }) => name))("%s does what it says", (name) => {
    const { output, errors } = runProgram("recipes.mjs", [name], instruments[name]);
    expect(output + errors).toContain("\nproven\n");
    // a recipe must not be warned of
    expect(output.match(/ warn: (?!SLP_WARN_NO_SERVER).*/g)).toBeNull();
  });
});

test.each(["pino", "winston", "bunyan"])(
  "LoggerOverrides extends the whole type of %s's loggers, and all declarations are checked",
  (name) => {
    expect(compile([`types/${name}.ts`], { skipLibCheck: false, noEmit: true })).toBe("");
  },
);
