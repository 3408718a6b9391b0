import { Project } from "ts-morph";
import { afterAll, expect, test } from "vitest";
import { migrateSource } from "../src/express-zod-api/migrate-source.ts";
import { findStreamFactories } from "../src/express-zod-api/rules/factories.ts";
import { findUsers } from "../src/express-zod-api/users.ts";
import { rules } from "../src/express-zod-api/rules.ts";
import type { Case } from "./cases/case.ts";
import { declarationCases } from "./cases/declarations.ts";
import { layoutCases } from "./cases/layouts.ts";
import { schemaCases } from "./cases/schemas.ts";
import { serverCases } from "./cases/servers.ts";
import {
  compile,
  compileTimeout as timeout,
  createDirectory,
  removeDirectory,
  writeFiles,
} from "./compile.ts";

const directory = createDirectory();
afterAll(() => removeDirectory(directory));

const cases: readonly Case[] = [
  ...declarationCases,
  ...serverCases,
  ...schemaCases,
  ...layoutCases,
];

const migrate = ({ major, before, isCommonJs }: Case) => {
  const project = new Project({ useInMemoryFileSystem: true });
  const source = project.createSourceFile("case.ts", before);
  const counts = new Map<string, number>();
  const facts = {
    ...{ major, isZod3: major < 24, streamFactories: findStreamFactories([source]) },
    users: findUsers(project, [source]),
    mayAwait: () => !isCommonJs,
  };
  migrateSource(source, facts, counts);
  const text = source.getFullText();
  migrateSource(source, { ...facts, major: 29, isZod3: false }, new Map());
  return { text, again: source.getFullText(), counts };
};

const toShort = (text: string): string =>
  text.replaceAll(
    /TODO\(sallyport-migrate\): (.*?) See https:\/\/sallyport\.github\.io\/sallyport\/from-express-zod-api/g,
    "TODO: $1 ",
  );

test.each(cases.map((one, index) => ({ ...one, title: `${one.rule} (${index})` })))(
  "rewrites $title",
  (given) => {
    const { text, again } = migrate(given);
    expect(toShort(text)).toBe(given.after);
    expect(again).toBe(text);
  },
);

test("has a case for each rule", () => {
  const covered = new Set(cases.map(({ rule }) => rule));
  expect(rules.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
});

test("counts the places of a rule", () => {
  const { counts } = migrate(cases.find(({ rule }) => rule === "add-context")!);
  expect(counts.get("add-context")).toBe(3);
});

test("what is rewritten compiles, but for marked lines", { timeout }, async () => {
  const files = cases.flatMap((given, index) =>
    given.isIncomplete ? [] : [[`case-${index}-${given.rule}.ts`, migrate(given).text]],
  );
  writeFiles(directory, Object.fromEntries(files));
  const messages = await compile(directory, { verbatimModuleSyntax: false });
  expect(messages).toEqual([]);
});
