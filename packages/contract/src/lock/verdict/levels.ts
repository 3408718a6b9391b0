import { ContractError } from "../../errors.ts";
import type { Change } from "../compare/change.ts";
import { isObject, toObject } from "@sallyport/document";
import { readText } from "../../read/read-text.ts";
import { toBump, type Level } from "../rules/rule.ts";
import { rules } from "../rules/rules.ts";

/** Which level a rule has in a project, and why. */
interface LevelChoice {
  readonly level: Level;
  readonly why: string;
}

/** By rule. */
export type Levels = ReadonlyMap<string, LevelChoice>;

const known = ["breaking", "access", "warning", "harmless"] as const;

const isLevel = (value: unknown): value is Level => known.some((level) => level === value);

/** @throws {@link ContractError} when the file cannot be read, or a rule, a level or a reason is missing or unknown. */
export const readLevels = (file: string): Levels => {
  const [text, given] = parse(file);
  const toChoice = (rule: string, choice: unknown): LevelChoice => {
    const line = text.slice(0, text.indexOf(JSON.stringify(rule))).split("\n").length;
    const where = `--levels: ${file}:${line}: `;
    if (!rules.has(rule))
      throw new ContractError(
        `${where}there is no rule ${rule}. The documentation lists the rules.`,
      );
    const { level, why } = toObject(choice);
    if (!isLevel(level))
      throw new ContractError(
        `${where}the level of ${rule} must be one of ${known.join(", ")}; got ${JSON.stringify(level)}.`,
      );
    if (typeof why !== "string" || why.trim() === "")
      throw new ContractError(`${where}${rule} needs a reason: "why": "...".`);
    return { level, why };
  };
  return new Map(
    Object.entries(given).map(([rule, choice]) => [rule, toChoice(rule, choice)] as const),
  );
};

const parse = (file: string): readonly [string, object] => {
  let problem =
    'it must be an object, as in { "tag-removed": { "level": "warning", "why": "..." } }';
  try {
    const text = readText(file);
    const given: unknown = JSON.parse(text);
    if (isObject(given)) return [text, given];
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  throw new ContractError(`--levels: ${file} cannot be used: ${problem}`);
};

/** Returns a change with the level that a project has chosen for its rule; what nobody was promised stays harmless. */
export const applyLevel = <C extends Change>(
  change: C,
  levels: Levels,
): C & { readonly levelWhy?: string } => {
  const choice = levels.get(change.rule);
  const rule = rules.get(change.rule);
  if (!choice || !rule || (change.level === "harmless" && rule.level !== "harmless")) return change;
  const isAddition = rule.level === "harmless" && rule.bump === "minor";
  const { level, why } = choice;
  return { ...change, level, bump: toBump(level, isAddition), levelWhy: why };
};
