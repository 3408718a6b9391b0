import { and, eq, getTableColumns, sql } from "drizzle-orm";
import createHttpError from "http-errors";
import { ez } from "sallyport";
import { z } from "zod";
import { books } from "../database/schema.ts";
import { adminFactory, inTransaction } from "../factories.ts";
import { bookHeading, parseBooks, toBookLine } from "./book-csv.ts";
import { noBook, noSuchBook } from "./book-endpoints.ts";
import { book, bookFields, bookId } from "./book-schemas.ts";
import { toBook, walkBooks } from "./find-books.ts";

const tag = "administration";

export const createBook = adminFactory.build({
  method: "post",
  tag,
  shortDescription: "Adds a book",
  statusCode: 201,
  errors: { 409: "There is a book with this ISBN" },
  input: bookFields,
  output: book,
  handler: async ({ input, ctx: { db } }) => {
    const [created] = await db.insert(books).values(input).onConflictDoNothing().returning();
    if (!created) throw createHttpError(409, "There is a book with this ISBN");
    return toBook(created);
  },
});

export const exportBooks = adminFactory.build({
  tag,
  shortDescription: "Exports all books as CSV",
  output: ez.stream("text/csv", { fileName: "books.csv" }),
  handler: async function* ({ ctx: { db } }) {
    yield bookHeading;
    for await (const rows of walkBooks(db)) yield rows.map(toBookLine).join("");
  },
});

const replaced = (["title", "author", "category", "description", "price", "stock"] as const).map(
  (name) => [name, sql.raw(`excluded.${name}`)] as const,
);

export const importBooks = adminFactory.addMiddleware(inTransaction).build({
  method: "post",
  tag,
  shortDescription: "Adds and changes books by a CSV",
  description:
    "Adds the books of a CSV, and changes those whose ISBN is known. If a row is wrong, nothing is changed.",
  errors: { 422: "Rows are wrong: the member rows tells which" },
  bodyLimit: 5_242_880,
  input: ez.raw().meta({ contentMediaType: "text/csv" }),
  output: z.object({ created: z.int(), changed: z.int() }),
  handler: async ({ input, ctx: { tx } }) => {
    const { valid, errors } = parseBooks(input.raw.toString("utf8"));
    if (errors.length > 0)
      throw createHttpError(422, `${errors.length} rows are wrong`, {
        problem: { rows: errors.slice(0, 100) },
      });
    let created = 0;
    // several hundred rows at a time, since a statement has a limited number of parameters
    for (let start = 0; start < valid.length; start += 500) {
      const written = await tx
        .insert(books)
        .values(valid.slice(start, start + 500))
        .onConflictDoUpdate({
          target: books.isbn,
          set: { ...Object.fromEntries(replaced), version: sql`${books.version} + 1` },
        })
        .returning({ version: books.version });
      created += written.filter(({ version }) => version === 1).length;
    }
    return { created, changed: valid.length - created };
  },
});
