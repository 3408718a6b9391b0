import { eq, sql } from "drizzle-orm";
import { ez, Middleware } from "sallyport";
import { z } from "zod";
import { transact, type Database } from "../database/connection.ts";
import { books, cartItems } from "../database/tables.ts";
import { adminFactory, inTransaction, versionOf } from "../factories.ts";
import { bookColumns, bookHeading, parseBooks, toBookLine, wrongRow } from "./book-csv.ts";
import { book, bookChanges, bookFields, bookId, noBook } from "./book-schemas.ts";
import { findBook, toBook, walkBooks } from "./find-books.ts";

const tag = "administration";

const knownIsbn = {
  knownIsbn: { status: 409, description: "There is a book with this ISBN" },
} as const;

export const createBook = adminFactory.build({
  method: "post",
  tag,
  shortDescription: "Adds a book",
  statusCode: 201,
  errors: knownIsbn,
  input: bookFields,
  output: book,
  handler: async ({ input, ctx: { db }, errors }) => {
    const [created] = await db.insert(books).values(input).onConflictDoNothing().returning();
    if (!created) throw errors.knownIsbn();
    return toBook(created);
  },
});

export const readBookForChange = adminFactory.addMiddleware(findBook).build({
  tag,
  shortDescription: "Reads a book, with the version that a change names",
  output: book,
  version: versionOf,
  handler: async ({ ctx }) => toBook(ctx.row),
});

const changingFactory = adminFactory.addMiddleware(inTransaction);

const byId = z.object({ id: bookId });

/** Finds the version of a book, which nobody else changes until the end of the transaction. */
const lockBook = new Middleware<{ tx: Database }, { version: string }, typeof byId, typeof noBook>({
  afterValidation: true,
  input: byId,
  errors: noBook,
  handler: async ({ input, ctx: { tx }, errors }) => {
    const [found] = await tx.select().from(books).where(eq(books.id, input.id)).for("update");
    if (!found) throw errors.noBook();
    return { version: String(found.version) };
  },
});

export const changeBook = changingFactory.addMiddleware(lockBook).build({
  method: "patch",
  tag,
  shortDescription: "Changes a book",
  description: "Changes the given fields, and leaves the others as they are.",
  errors: knownIsbn,
  input: bookChanges,
  output: book,
  version: versionOf,
  ifMatch: "required",
  current: ({ ctx }) => ctx.version,
  handler: async ({ input: { id, ...changes }, ctx: { tx }, errors }) => {
    const [changed] = await tx
      .update(books)
      .set({ ...changes, version: sql`${books.version} + 1` })
      .where(eq(books.id, id))
      .returning();
    if (!changed) throw errors.noBook();
    return toBook(changed);
  },
});

export const deleteBook = changingFactory
  // orders lock what is in their carts before the books
  .addMiddleware({
    afterValidation: true,
    handler: async ({ ctx: { tx } }) => {
      await tx.execute(sql`LOCK TABLE ${cartItems} IN SHARE ROW EXCLUSIVE MODE`);
    },
  })
  .addMiddleware(lockBook)
  .buildVoid({
    method: "delete",
    tag,
    shortDescription: "Deletes a book; orders keep its title and price",
    ifMatch: "required",
    current: ({ ctx }) => ctx.version,
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

export const importBooks = adminFactory.build({
  method: "post",
  tag,
  shortDescription: "Adds and changes books by a CSV",
  description:
    "Adds the books of a CSV, and changes those whose ISBN is known. If a row is wrong, nothing is changed.",
  errors: {
    wrongRows: { status: 422, description: "Rows are wrong", schema: z.array(wrongRow) },
  },
  bodyLimit: 5_242_880,
  input: z.object({ raw: ez.stream("text/csv") }),
  output: z.object({ created: z.int(), changed: z.int() }),
  handler: async ({ input, errors }) => {
    // all of it before the transaction, which must not wait for a slow client
    const { valid, wrong } = await parseBooks(input.raw);
    if (wrong.length > 0) throw errors.wrongRows({ data: wrong });
    const created = await transact(async (tx) => {
      // others lock books in an order of their own; reads go on
      await tx.execute(sql`LOCK TABLE ${books} IN EXCLUSIVE MODE`);
      let count = 0;
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
        count += written.filter(({ version }) => version === 1).length;
      }
      return count;
    });
    return { created, changed: valid.length - created };
  },
});
