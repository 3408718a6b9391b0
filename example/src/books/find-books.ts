import { and, asc, desc, eq, gt, gte, ilike, lte, or, type SQL } from "drizzle-orm";
import { Middleware } from "sallyport";
import { z } from "zod";
import { database, type Database } from "../database/connection.ts";
import { books } from "../database/tables.ts";
import { bookId, noBook, type BookFilter } from "./book-schemas.ts";

type Row = typeof books.$inferSelect;

/** A book as clients see it; the name of the cover's file makes a new URL for each cover. */
export const toBook = ({ cover, createdAt: _createdAt, ...row }: Row) => ({
  ...row,
  cover: cover === null ? null : `/v2/books/${row.id}/cover?file=${cover}`,
});

const orders = {
  title: [asc(books.title)],
  price: [asc(books.price)],
  "-price": [desc(books.price)],
  newest: [desc(books.createdAt)],
} as const satisfies Record<string, readonly SQL[]>;

/** The orders in which books can be listed. */
export const bookOrders = Object.keys(orders) as [keyof typeof orders, ...(keyof typeof orders)[]];

const toCondition = ({ q = "", category, minPrice, maxPrice, inStock }: BookFilter) => {
  const pattern = `%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return and(
    or(ilike(books.title, pattern), ilike(books.author, pattern)),
    category === undefined ? undefined : eq(books.category, category),
    minPrice === undefined ? undefined : gte(books.price, minPrice),
    maxPrice === undefined ? undefined : lte(books.price, maxPrice),
    inStock === true ? gt(books.stock, 0) : undefined,
  );
};

/** Lists a page of books. */
export const listPage = async (
  db: Database,
  { sort, ...filter }: BookFilter & { readonly sort: keyof typeof orders },
  { limit, offset }: { readonly limit: number; readonly offset: number },
) => {
  const condition = toCondition(filter);
  const rows = await db
    .select()
    .from(books)
    .where(condition)
    .orderBy(...orders[sort], books.id)
    .limit(limit)
    .offset(offset);
  return { books: rows.map(toBook), total: await db.$count(books, condition) };
};

/** Lists the categories that have books. */
export const findCategories = async (db: Database): Promise<string[]> => {
  const rows = await db
    .selectDistinct({ category: books.category })
    .from(books)
    .orderBy(books.category);
  return rows.map(({ category }) => category);
};

/** Finds the book that the path names. */
export const findBook = new Middleware({
  input: z.object({ id: bookId }),
  errors: noBook,
  handler: async ({ input, errors }) => {
    const [row] = await database().select().from(books).where(eq(books.id, input.id));
    if (!row) throw errors.noBook();
    return { row };
  },
});

/** Yields all books in the order of their ISBNs, a few hundred at a time. */
export const walkBooks = async function* (db: Database): AsyncGenerator<Row[]> {
  let after = "";
  for (;;) {
    const rows = await db
      .select()
      .from(books)
      .where(gt(books.isbn, after))
      .orderBy(books.isbn)
      .limit(500);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.isbn;
  }
};
