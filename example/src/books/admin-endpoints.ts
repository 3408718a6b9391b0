import { eq, sql } from "drizzle-orm";
import createHttpError from "http-errors";
import { ez } from "sallyport";
import { z } from "zod";
import type { Database } from "../database/connection.ts";
import { books, cartItems } from "../database/tables.ts";
import { adminFactory, inTransaction, versionOf } from "../factories.ts";
import { bookColumns, bookHeading, parseBooks, toBookLine } from "./book-csv.ts";
import { book, bookChanges, bookFields, bookId } from "./book-schemas.ts";
import { noBook, noSuchBook, readRow, toBook, walkBooks } from "./find-books.ts";

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

export const readBookForChange = adminFactory.build({
  tag,
  shortDescription: "Reads a book, with the version that a change names",
  errors: noBook,
  input: z.object({ id: bookId }),
  output: book,
  version: versionOf,
  handler: async ({ input, ctx: { db } }) => toBook(await readRow(db, input.id)),
});

const changingFactory = adminFactory.addMiddleware(inTransaction);

/** Returns the version of a book, which nobody else changes until the end of the transaction. */
const lockVersion = async (tx: Database, id: string): Promise<string> => {
  const [found] = await tx
    .select({ version: books.version })
    .from(books)
    .where(eq(books.id, id))
    .for("update");
  if (!found) throw noSuchBook();
  return String(found.version);
};

export const changeBook = changingFactory.build({
  method: "patch",
  tag,
  shortDescription: "Changes a book",
  description: "Changes the given fields, and leaves the others as they are.",
  errors: { ...noBook, 409: "There is a book with this ISBN" },
  input: bookChanges.extend({ id: bookId }),
  output: book,
  version: versionOf,
  ifMatch: "required",
  current: ({ input, ctx }) => lockVersion(ctx.tx, input.id),
  handler: async ({ input: { id, ...changes }, ctx: { tx } }) => {
    const [changed] = await tx
      .update(books)
      .set({ ...changes, version: sql`${books.version} + 1` })
      .where(eq(books.id, id))
      .returning();
    if (!changed) throw noSuchBook();
    return toBook(changed);
  },
});

export const deleteBook = changingFactory.buildVoid({
  method: "delete",
  tag,
  shortDescription: "Deletes a book; orders keep its title and price",
  errors: noBook,
  input: z.object({ id: bookId }),
  ifMatch: "required",
  current: async ({ input, ctx: { tx } }) => {
    // orders lock what is in their carts before the books
    await tx.execute(sql`LOCK TABLE ${cartItems} IN SHARE ROW EXCLUSIVE MODE`);
    return lockVersion(tx, input.id);
  },
  handler: async ({ input, ctx: { tx } }) => {
    await tx.delete(books).where(eq(books.id, input.id));
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

const replaced = Object.fromEntries(
  bookColumns.map((name) => [name, sql.raw(`excluded.${books[name].name}`)]),
);

export const importBooks = changingFactory.build({
  method: "post",
  tag,
  shortDescription: "Adds and changes books by a CSV",
  description:
    "Adds the books of a CSV, and changes those whose ISBN is known. If a row is wrong, nothing is changed.",
  errors: { 422: "Rows are wrong: the member rows tells which" },
  bodyLimit: 5_242_880,
  input: ez.raw({}, { contentMediaType: "text/csv" }),
  output: z.object({ created: z.int(), changed: z.int() }),
  handler: async ({ input, ctx: { tx } }) => {
    const { valid, errors } = parseBooks(input.raw);
    if (errors.length > 0)
      throw createHttpError(422, "Rows are wrong", { problem: { rows: errors } });
    // others lock books in an order of their own; reads go on
    await tx.execute(sql`LOCK TABLE ${books} IN EXCLUSIVE MODE`);
    let created = 0;
    // several hundred rows at a time, since a statement has a limited number of parameters
    for (let start = 0; start < valid.length; start += 500) {
      const written = await tx
        .insert(books)
        .values(valid.slice(start, start + 500))
        .onConflictDoUpdate({
          target: books.isbn,
          set: { ...replaced, version: sql`${books.version} + 1` },
        })
        .returning({ version: books.version });
      created += written.filter(({ version }) => version === 1).length;
    }
    return { created, changed: valid.length - created };
  },
});
