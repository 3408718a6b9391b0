import { toVersion } from "./fixture.ts";

/** The places where a package may be used, in the order of the table. */
export const places = ["express", "factory", "hooks", "attach"] as const;

/** A place where a package may be used. */
export type Place = (typeof places)[number];

/** A row of the table before its package is tested. */
export interface Entry {
  readonly name: string;
  readonly packages: readonly string[];
  /** The effect that the requests prove. */
  readonly effect: string;
  /** The places where the package does not work, each with the reason. */
  readonly notIn: Readonly<Partial<Record<Place, string>>>;
  /** Whether the package needs its own process; a string names the module that is loaded there first. */
  readonly isolated?: boolean | string;
}

/** The outcome for an entry in one place. */
export interface Outcome {
  readonly name: string;
  readonly place: Place;
  readonly error: string | null;
}

const headings: readonly string[] = [
  ...[
    "Package",
    "Version",
    "Proven effect",
    "Express",
    "`factory.use`",
    "Hooks",
    "`attachRouting`",
  ],
];

/** Returns the table for the documentation, with the alignment that the formatter would give it. */
export const toTable = (entries: readonly Entry[], outcomes: readonly Outcome[]): string => {
  const reasons = [...new Set(entries.flatMap(({ notIn }) => Object.values(notIn)))];
  const toCell = ({ name, notIn }: Entry, place: Place): string => {
    const reason = notIn[place];
    if (reason !== undefined) return `no (${reasons.indexOf(reason) + 1})`;
    const outcome = outcomes.find((one) => one.name === name && one.place === place);
    return outcome?.error === null ? "yes" : "FAILS";
  };
  const rows = entries.map((entry) => [
    entry.name,
    toVersions(entry.packages),
    entry.effect,
    ...places.map((place) => toCell(entry, place)),
  ]);
  const notes = reasons.map((reason, index) => `${index + 1}. ${reason}`);
  return [...align([headings, ...rows]), "", ...notes].join("\n");
};

const toVersions = ([first = "", ...others]: readonly string[]): string =>
  others.length === 0
    ? toVersion(first)
    : [first, ...others].map((name) => `${name} ${toVersion(name)}`).join(", ");

const align = (rows: readonly (readonly string[])[]): string[] => {
  const widths = headings.map((_heading, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const toLine = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const lines = rows.map((row) =>
    toLine(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))),
  );
  lines.splice(1, 0, toLine(widths.map((width) => "-".repeat(width))));
  return lines;
};
