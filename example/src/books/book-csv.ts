import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { bookFields, type BookFields } from "./book-schemas.ts";
import { parseCsv, toCsvLine } from "./csv.ts";

/** The columns of a CSV: all fields of a book. */
export const bookColumns = bookFields.keyof().options;

const toNumber = (cell: unknown): unknown =>
  typeof cell === "string" && /^\s*\d+\s*$/.test(cell) ? Number(cell) : cell;

/** A row; an empty cell is undefined, so that the default of its field is used. */
const line = bookFields.extend({
  price: z.preprocess(toNumber, bookFields.shape.price),
  stock: z.preprocess(toNumber, bookFields.shape.stock),
});

/** The first line of a CSV of books. */
export const bookHeading: string = `${bookColumns.join(",")}\r\n`;

/** Returns a line of a CSV of books. */
export const toBookLine = (book: BookFields): string =>
  toCsvLine(bookColumns.map((column) => book[column]));

/** Reads a CSV of books, whose first row names the columns in any order, until there are a hundred errors. */
export const parseBooks = (file: Buffer) => {
  const valid = new Map<string, BookFields>();
  const errors: { readonly row: number; readonly detail: string }[] = [];
  let row = 1;
  const addError = (detail: string): void => void errors.push({ row, detail });
  try {
    if (!isUtf8(file)) throw new SyntaxError("Save the file as UTF-8");
    const rows = parseCsv(file.toString("utf8").replace(/^\uFEFF/, ""));
    const heading = (rows.next().value || []).map((cell) => cell.trim().toLowerCase());
    const missing = bookColumns.filter((column) => !heading.includes(column));
    if (missing.length > 0) throw new SyntaxError(`Missing columns: ${missing.join(", ")}`);
    row++;
    for (const cells of rows) {
      const fields = bookColumns.map((name) => [name, cells[heading.indexOf(name)] || undefined]);
      const { data, error } = line.safeParse(Object.fromEntries(fields));
      for (const { path, message } of error?.issues ?? [])
        addError(`${path.join(".")}: ${message}`);
      if (data && valid.has(data.isbn)) addError("isbn: An earlier row has the same");
      if (data) valid.set(data.isbn, data);
      if (errors.length >= 100) break;
      row++;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    addError(error.message);
  }
  return { valid: [...valid.values()], errors };
};
