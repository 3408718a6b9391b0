import { z } from "zod";
import { bookFields, maxInteger, type BookFields } from "./book-schemas.ts";
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

/** What each field must be, in words for people. */
const words: Readonly<Record<keyof BookFields, string>> = {
  isbn: "Give 13 digits that begin with 978 or 979",
  title: "Give a title of at most 200 characters",
  author: "Give an author of at most 200 characters",
  category: "Give a category of at most 50 characters",
  description: "Give at most 5000 characters",
  price: "Give a whole number of cents, from 1 to 1000000",
  stock: `Give a whole number, from 0 to ${maxInteger}`,
};

/** The first line of a CSV of books. */
export const bookHeading: string = `${bookColumns.join(",")}\r\n`;

/** Returns a line of a CSV of books. */
export const toBookLine = (book: BookFields): string =>
  toCsvLine(bookColumns.map((column) => book[column]));

/** What is wrong with a row; the heading is row 1. */
export const wrongRow = z.object({ row: z.int(), detail: z.string() });

/** Reads a CSV of books, whose first row names the columns in any order, until a hundred things are wrong. */
export const parseBooks = async (file: AsyncIterable<Uint8Array>) => {
  const valid = new Map<string, BookFields>();
  const wrong: z.output<typeof wrongRow>[] = [];
  let row = 1;
  const refuse = (detail: string): void => void wrong.push({ row, detail });
  try {
    const rows = parseCsv(file);
    const first = await rows.next();
    const heading = (first.value || []).map((cell) => cell.trim().toLowerCase());
    const missing = bookColumns.filter((column) => !heading.includes(column));
    if (missing.length > 0) throw new SyntaxError(`Missing columns: ${missing.join(", ")}`);
    row++;
    for await (const cells of rows) {
      const fields = bookColumns.map((name) => [name, cells[heading.indexOf(name)] || undefined]);
      const { data, error } = line.safeParse(Object.fromEntries(fields));
      // the words of the validator are for programmers
      const names = new Set(error?.issues.map(({ path }) => path[0]));
      for (const name of bookColumns) if (names.has(name)) refuse(`${name}: ${words[name]}`);
      if (data && valid.has(data.isbn)) refuse("isbn: An earlier row has the same");
      if (data) valid.set(data.isbn, data);
      if (wrong.length >= 100) break;
      row++;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // the rows before it may not have been read
    const { row = 1 } = error as { readonly row?: number };
    return { valid: [], wrong: [{ row, detail: error.message }] };
  }
  return { valid: [...valid.values()], wrong };
};
