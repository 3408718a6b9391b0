import { z } from "zod";
import { bookFields, type BookFields } from "./book-schemas.ts";
import { parseCsv, toCsvLine } from "./csv.ts";

const columns = ["isbn", "title", "author", "category", "description", "price", "stock"] as const;

const line = bookFields.extend({
  price: z.coerce.number().pipe(bookFields.shape.price),
  stock: z.coerce.number().pipe(bookFields.shape.stock),
});

/** The first line of a CSV of books. */
export const bookHeading: string = `${columns.join(",")}\r\n`;

/** Returns a line of a CSV of books. */
export const toBookLine = (book: BookFields): string =>
  toCsvLine(columns.map((column) => book[column]));

/** What is wrong with a row; the heading is row 1. */
export interface RowError {
  readonly row: number;
  readonly detail: string;
}

/** Reads a CSV of books, whose first row names the columns in any order. */
export const parseBooks = (
  text: string,
): { readonly valid: BookFields[]; readonly errors: RowError[] } => {
  const valid: BookFields[] = [];
  const errors: RowError[] = [];
  let row = 0;
  try {
    let heading: readonly string[] = [];
    for (const cells of parseCsv(text.replace(/^\uFEFF/, ""))) {
      row++;
      if (row === 1) {
        heading = cells.map((cell) => cell.trim().toLowerCase());
        const missing = columns.filter((column) => !heading.includes(column));
        if (missing.length > 0)
          return { valid, errors: [{ row, detail: `Missing columns: ${missing.join(", ")}` }] };
        continue;
      }
      const fields = columns.map((name) => [name, cells[heading.indexOf(name)] ?? ""] as const);
      const { data, error } = line.safeParse(Object.fromEntries(fields));
      if (data) valid.push(data);
      for (const { path, message } of error?.issues ?? [])
        errors.push({ row, detail: `${path.join(".")}: ${message}` });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    errors.push({ row: row + 1, detail: error.message });
  }
  return { valid, errors };
};
