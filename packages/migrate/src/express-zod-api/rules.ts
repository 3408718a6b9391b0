import type { Rule } from "./rule.ts";
import { configOptionRules } from "./rules/config-options.ts";
import { configRules } from "./rules/config.ts";
import { documentRules } from "./rules/documents.ts";
import { factoryRules } from "./rules/factories.ts";
import { handlerRules } from "./rules/handlers.ts";
import { importRules } from "./rules/imports.ts";
import { resultRules } from "./rules/results.ts";
import { routingRules } from "./rules/routing.ts";
import { schemaRules } from "./rules/schemas.ts";
import { testingRules } from "./rules/testing.ts";
import { zodRules } from "./rules/zod.ts";

/** The rules for files that use Zod, but not express-zod-api; the imports come last, because they tell what names mean. */
export const rulesOfSchemas: readonly Rule[] = [...schemaRules, ...zodRules, ...importRules];

/** All rules in the order in which they are applied. */
export const rules: readonly Rule[] = [
  ...configRules,
  ...configOptionRules,
  ...factoryRules,
  ...handlerRules,
  ...resultRules,
  ...routingRules,
  ...testingRules,
  ...documentRules,
  ...rulesOfSchemas,
];

const kinds = { rewritten: "rewritten", marked: "marked", both: "rewritten or marked" } as const;

const toCell = (text: string): string => text.replaceAll("|", "\\|");

/** Returns the table of the guide. */
export const toRuleTable = (): string =>
  [
    "| Rule | From | To | What happens |",
    "| --- | --- | --- | --- |",
    ...rules.map(
      ({ id, from, to, kind }) =>
        `| \`${id}\` | ${toCell(from)} | ${toCell(to)} | ${kinds[kind]} |`,
    ),
  ].join("\n");
