import type { Level } from "../rules/rule.ts";
import { toAnnotations, toJUnit, toSarif } from "./ci-reports.ts";
import {
  isOpen,
  listReasons,
  nothing,
  type JudgedChange,
  type Verdict,
} from "../verdict/verdict.ts";

export const formats = ["text", "json", "markdown", "junit", "sarif", "github"] as const;
export type Format = (typeof formats)[number];

const headings: Readonly<Record<Level, string>> = {
  breaking: "Breaking",
  access: "Access opened",
  warning: "Warnings",
  harmless: "Harmless",
};

const levels = Object.keys(headings) as readonly Level[];

/**
 * Writes what has changed, for a terminal, a program, a pull request or a CI.
 *
 * @param file the file that changes are attributed to
 * @param options the options with which a change can be accepted; undefined if none can
 */
export const toReport = (
  verdict: Verdict,
  format: Format,
  file: string,
  options?: string,
): string => writers[format](verdict, file, options);

const toJson = ({ changes, bump, isAcceptable }: Verdict): string =>
  `${JSON.stringify({ ok: isAcceptable, bump: bump ?? null, changes }, undefined, 2)}\n`;

const toText = ({ changes, bump, failOn }: Verdict, _file: string, options?: string): string => {
  if (bump === undefined) return `${nothing}\n`;
  const sections = toSections(changes).map(([level, own]) => {
    const lines = own.map((change) =>
      [
        `  ${change.path}: ${change.text}. [${change.rule}]`,
        ...listReasons(change).map((reason) => `    ${reason}`),
      ].join("\n"),
    );
    return `${headings[level]}\n${lines.join("\n")}\n`;
  });
  const open = changes.find((change) => isOpen(change, failOn));
  const hint =
    open && options !== undefined
      ? `\nTo accept a change: npx sallyport lock accept ${open.rule} ${quote(open.path)}${options} --why "..."\n`
      : "";
  return `${sections.join("\n")}\nNext version: ${bump}\n${hint}`;
};

/** Quotes a path for a shell. */
const quote = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

const toMarkdown = ({ changes, bump }: Verdict): string => {
  if (bump === undefined) return `### API changes\n\n${nothing}\n`;
  const sections = toSections(changes).map(([level, own]) => {
    const lines = toGroups(own).map(([operation, group]) => {
      const items = group.map((change) => {
        const at = change.path.slice(operation.length).trim();
        const reasons = listReasons(change).map((reason) => ` — ${escape(reason)}`);
        return `  - ${at === "" ? "" : `${toCode(at)}: `}${escape(change.text)} (${toCode(change.rule)})${reasons.join("")}`;
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

const writers: Readonly<
  Record<Format, (verdict: Verdict, file: string, options?: string) => string>
> = {
  text: toText,
  json: toJson,
  markdown: toMarkdown,
  junit: toJUnit,
  sarif: toSarif,
  github: toAnnotations,
};
