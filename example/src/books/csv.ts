import { pipeline } from "node:stream";
import { ReadableStream, TextDecoderStream } from "node:stream/web";
import { CsvError, parse } from "csv-parse";

/**
 * Yields the rows of a CSV while it is read; cells may be quoted and contain commas, quotes and line breaks.
 *
 * @throws {SyntaxError} when it is no CSV, with the number of the `row`, or no UTF-8.
 */
export const parseCsv = async function* (bytes: AsyncIterable<Uint8Array>) {
  const parser = parse({ relax_column_count: true, skip_empty_lines: true });
  // what fails, such as a body that is too large, is thrown in the loop
  const decoder = new TextDecoderStream("utf-8", { fatal: true });
  pipeline(ReadableStream.from(bytes).pipeThrough(decoder), parser, () => undefined);
  try {
    for await (const row of parser as AsyncIterable<string[]>)
      yield row.map((cell) => cell.replace(/^'(?='*[=+\-@\t\r])/, ""));
  } catch (error) {
    const row = parser.info.records + 1;
    if (error instanceof CsvError)
      throw Object.assign(new SyntaxError("A quote is misplaced or missing"), { row });
    if (error instanceof TypeError) throw new SyntaxError("Save the file as UTF-8");
    throw error;
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
