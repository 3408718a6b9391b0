/** Yields the rows of a CSV text, in which cells may be quoted and contain commas, quotes and line breaks. */
export const parseCsv = function* (text: string): Generator<string[], void> {
  // a cell, quoted or plain, and what ends it
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  let row: string[] = [];
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text);
    if (!found) throw new SyntaxError("A quote is misplaced or missing");
    const [, quoted, plain = "", end] = found;
    row.push((quoted?.replaceAll('""', '"') ?? plain).replace(/^'(?='*[=+\-@\t\r])/, ""));
    if (end === ",") {
      if (pattern.lastIndex < text.length) continue;
      row.push("");
    }
    if (row.length > 1 || row[0] !== "") yield row;
    row = [];
  }
};

type Cell = string | number | boolean | null;

/** Quotes a cell; a leading apostrophe keeps spreadsheets from running text that looks like a formula, until it is read again. */
const toCell = (value: Cell): string => {
  if (typeof value !== "string") return String(value ?? "");
  const text = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
};

/** Returns a line of CSV. */
export const toCsvLine = (cells: readonly Cell[]): string => `${cells.map(toCell).join(",")}\r\n`;
