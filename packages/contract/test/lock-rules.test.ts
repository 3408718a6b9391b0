import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { rules } from "../src/lock/rules/rules.ts";
import { schemaChanges } from "../src/lock/rules/schema-changes.ts";
import { compare, toLevel, toVersion30 } from "./lock-tools.ts";

const all = [...rules.values()];

test("there are at least 120 rules, each with an id and words of its own", () => {
  expect(all.length).toBeGreaterThan(120);
  for (const { id, words } of all) {
    expect(id).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(words).not.toBe("");
  }
});

describe("each rule has documents between which it is found, and others between which it is not", () => {
  test.each(all)("$id", ({ id, level, example, counterexample }) => {
    const found = compare(...example).filter(({ rule }) => rule === id);
    expect(found.map((change) => change.level)).toEqual([level]);
    expect(found[0]?.text).not.toMatch(/[{}]|undefined/);
    expect(compare(...counterexample).map(({ rule }) => rule)).not.toContain(id);
  });
});

describe("the documents of a rule mean the same in all versions of OpenAPI", () => {
  test.each(all)("$id", ({ example }) => {
    const toRules = (documents: typeof example) =>
      compare(...documents).map(({ rule, path }) => `${rule} ${path}`);
    const [base, head] = example;
    const expected = toRules(example);
    expect(toRules([{ ...base, openapi: "3.2.0" }, head])).toEqual(expected);
    expect(toRules([toVersion30(base), head])).toEqual(expected);
    expect(toRules([base, toVersion30(head)])).toEqual(expected);
  });
});

test("what a request may do, a response may not, and the other way round", () => {
  const judged = Object.entries(schemaChanges)
    .filter(([, { levels, areas }]) => !levels && !areas)
    .map(([name, { effect }]) => {
      const [request, response] = ["request", "response"].map(
        (area) => rules.get(`${area}-schema-${name}`)?.level,
      );
      return `${effect}: ${request} in requests, ${response} in responses`;
    });
  expect(new Set(judged)).toEqual(
    new Set([
      "narrower: breaking in requests, harmless in responses",
      "wider: harmless in requests, breaking in responses",
      "different: breaking in requests, breaking in responses",
      "none: harmless in requests, harmless in responses",
    ]),
  );
});

test("identical documents have no changes, and each example has the level of its rule", () => {
  for (const { level, example } of all) {
    expect(compare(example[0], example[0])).toEqual([]);
    expect(compare(example[1], example[1])).toEqual([]);
    const ranks = ["harmless", "warning", "access", "breaking"];
    expect(ranks.indexOf(toLevel(...example))).toBeGreaterThanOrEqual(ranks.indexOf(level));
  }
});

test("docs/lock.md lists every rule with its level and words", () => {
  const page = readFileSync(
    fileURLToPath(new URL("../../../docs/lock.md", import.meta.url)),
    "utf8",
  );
  const tables = page.slice(page.indexOf("\n## Rules\n"));
  const rows = [...tables.matchAll(/^\| `([^`]+)` +\| (.*?) *\|$/gm)].map(
    ([, id = "", rest = ""]) => `${id} | ${rest.replaceAll(/ +\| +/g, " | ")}`,
  );
  const outside = all
    .filter(
      ({ id }) => !id.includes("-schema-") || /^re\w+-(?:item-)?schema-(?:added|removed)$/.test(id),
    )
    .map(({ id, level, words }) => `${id} | ${level} | ${toWords(words)}`);
  const within = Object.entries(schemaChanges).map(([name, { words }]) => {
    const [parameter, request, response, header] = [
      "parameter",
      "request",
      "response",
      "header",
    ].map((area) => rules.get(`${area}-schema-${name}`)?.level ?? "-");
    return `${name} | ${parameter} | ${request} | ${response} | ${header} | ${toWords(words)}`;
  });
  expect(rows.toSorted()).toEqual([...outside, ...within].toSorted());
});

const toWords = (words: string): string => words.replaceAll(/\s*\{(\w+)\}/g, " _$1_").trim();
