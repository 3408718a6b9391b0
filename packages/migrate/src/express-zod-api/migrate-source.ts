import type { SourceFile } from "ts-morph";
import { rules, rulesOfSchemas } from "./rules.ts";
import { SourceEditor, type AppFacts } from "./source-editor.ts";

/** A rule is applied again until it finds nothing; nested places need a pass each. */
const maxPasses = 100;

/** Applies the rules that concern a file, and adds the number of rewritten places by rule to `counts`. */
export const migrateSource = (
  source: SourceFile,
  facts: AppFacts,
  counts: Map<string, number>,
): void => {
  const needs = new Map<string, Set<string>>();
  const { users } = facts;
  const path = source.getFilePath();
  const own = users.ofZod.has(path) ? rulesOfSchemas : [];
  for (const rule of users.ofPackage.has(path) ? rules : own)
    for (let pass = 0; pass < maxPasses; pass++) {
      const editor = new SourceEditor(source, facts, needs);
      rule.apply(editor);
      const text = editor.finish();
      if (text === undefined) break;
      counts.set(rule.id, (counts.get(rule.id) ?? 0) + editor.places);
      source.replaceWithText(text);
    }
};
