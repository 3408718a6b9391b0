import type { Level } from "./rule.ts";
import { needsAcceptance, type JudgedChange, type Verdict } from "./verdict.ts";

export const formats = ["text", "json", "markdown"] as const;
export type Format = (typeof formats)[number];

const headings: Readonly<Record<Level, string>> = {
  breaking: "Breaking",
  access: "Access opened",
  warning: "Warnings",
  harmless: "Harmless",
};

const levels = Object.keys(headings) as readonly Level[];

/** Writes what has changed, for a terminal, a program or a pull request. */
export const toReport = (verdict: Verdict, format: Format): string =>
  format === "json"
    ? toJson(verdict)
    : format === "markdown"
      ? toMarkdown(verdict)
      : toText(verdict);

const toJson = ({ changes, bump, isAcceptable }: Verdict): string =>
  `${JSON.stringify({ ok: isAcceptable, bump: bump ?? null, changes }, undefined, 2)}\n`;

const nothing = "Nothing has changed that clients could notice.\n";

const toText = ({ changes, bump }: Verdict): string => {
  if (bump === undefined) return nothing;
  const sections = toSections(changes).map(([level, own]) => {
    const lines = own.map(
      ({ path, text, rule, why }) =>
        `  ${path}: ${text}. [${rule}]${why === undefined ? "" : `\n    accepted: ${why}`}`,
    );
    return `${headings[level]}\n${lines.join("\n")}\n`;
  });
  const open = changes.find(({ level, why }) => needsAcceptance(level) && why === undefined);
  const hint = open
    ? `\nTo accept a change: npx sallyport lock accept ${open.rule} ${quote(open.path)} --why "..."\n`
    : "";
  return `${sections.join("\n")}\nNext version: ${bump}\n${hint}`;
};

/** Quotes a path for a shell. */
const quote = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

const toMarkdown = ({ changes, bump }: Verdict): string => {
  if (bump === undefined) return `### API changes\n\n${nothing}`;
  const sections = toSections(changes).map(([level, own]) => {
    const lines = toGroups(own).map(([operation, group]) => {
      const items = group.map(({ path, text, rule, why }) => {
        const at = path.slice(operation.length).trim();
        const accepted = why === undefined ? "" : ` — accepted: ${escape(why)}`;
        return `  - ${at === "" ? "" : `${toCode(at)}: `}${escape(text)} (${toCode(rule)})${accepted}`;
      });
      return `- **${toCode(operation)}**\n${items.join("\n")}`;
    });
    return `#### ${headings[level]} (${own.length})\n\n${lines.join("\n")}\n`;
  });
  return `### API changes: ${bump}\n\n${sections.join("\n")}`;
};

/** Escapes what Markdown would read as its own. */
const escape = (text: string): string => text.replaceAll(/[\\`*_<>[\]|~#]/g, String.raw`\$&`);

const toCode = (text: string): string => `\`${text.replaceAll("`", "'")}\``;

const toSections = (
  changes: readonly JudgedChange[],
): readonly (readonly [Level, readonly JudgedChange[]])[] =>
  levels
    .map((level) => [level, changes.filter((change) => change.level === level)] as const)
    .filter(([, own]) => own.length > 0);

const toGroups = (
  changes: readonly JudgedChange[],
): readonly (readonly [string, readonly JudgedChange[]])[] =>
  [...new Set(changes.map(({ operation }) => operation))].map((operation) => [
    operation,
    changes.filter((change) => change.operation === operation),
  ]);
