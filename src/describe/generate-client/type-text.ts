/** The members of a union, each written so that `[]` may follow. */
export type Members = readonly string[];

export const toUnion = (types: readonly Members[]): Members => {
  const members = [...new Set(types.flat())];
  if (members.includes("unknown")) return ["unknown"];
  const some = members.filter((member) => member !== "never");
  return some.length > 0 ? some : ["never"];
};

export const toIntersection = (types: readonly Members[]): Members => {
  const parts = types.filter((members) => members.join() !== "unknown");
  const [first = ["unknown"]] = parts;
  return parts.length < 2 ? first : [`(${parts.map(toOperand).join(" & ")})`];
};

/** Writes a type that an operator may follow, in parentheses if necessary. */
export const toOperand = (members: Members): string =>
  members.length === 1 ? (members[0] ?? "") : `(${members.join(" | ")})`;

export const toText = (members: Members): string => {
  const [only = "", other] = members;
  if (other !== undefined) return members.join(" | ");
  // an intersection that stands alone needs no parentheses
  return only.startsWith("(") && only.endsWith(")") ? only.slice(1, -1) : only;
};

export const quote = (text: string): string =>
  JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

export const toKey = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);

/** Indents every line of a text except the first. */
export const indent = (text: string): string => text.replaceAll("\n", "\n  ");

/** Writes an object type from lines that end with a semicolon. */
export const toObject = (lines: readonly string[]): string =>
  lines.length === 0 ? "{}" : `{\n  ${lines.map(indent).join("\n  ")}\n}`;

/** Writes a TSDoc comment and a line break; returns an empty string if none of the texts says anything. */
export const writeComment = (texts: readonly (string | false | undefined)[]): string => {
  const said = texts.flatMap((text) => {
    if (text === undefined || text === false) return [];
    // this removes all control characters except line breaks and tabs
    const printable = text.replaceAll(/[^\P{Cc}\t\n\r]/gu, "");
    const trimmed = printable.replaceAll("*/", "*\\/").trim();
    return trimmed === "" ? [] : [trimmed];
  });
  const lines = [...new Set(said)].join("\n\n").split(/\r\n?|[\n\u2028\u2029]/);
  const [first = "", ...more] = lines;
  if (more.length === 0) return first === "" ? "" : `/** ${first} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
};
