import { ez } from "sallyport";
import { z } from "zod";
import { publicFactory } from "../factories.ts";
import { book, bookFilter, bookId } from "./book-schemas.ts";
import { bookOrders, findBook, findCategories, listPage, toBook } from "./find-books.ts";

const tag = "books";

const page = ez.paginated({ style: "offset", itemSchema: book, itemsName: "books", links: true });

export const listBooks = publicFactory.build({
  tag,
  shortDescription: "Searches books",
  input: page.input.and(
    bookFilter.extend({
      sort: z.enum(bookOrders).default("title").describe("The order of the books"),
    }),
  ),
  output: page.output,
  handler: async ({ input: { limit, offset, ...filter }, ctx: { db } }) => ({
    ...(await listPage(db, filter, { limit, offset })),
    limit,
    offset,
  }),
});

export const listCategories = publicFactory.build({
  tag,
  shortDescription: "Lists the categories that have books",
  output: z.object({ categories: z.array(z.string().meta({ examples: ["Novel"] })) }),
  handler: async ({ ctx: { db } }) => ({ categories: await findCategories(db) }),
});

const bookFactory = publicFactory.addMiddleware(findBook);

export const readBook = bookFactory.build({
  tag,
  shortDescription: "Reads a book",
  output: book,
  handler: async ({ ctx }) => toBook(ctx.row),
});

const oldBook = z.object({
  id: bookId,
  title: z.string().meta({ examples: ["Pride and Prejudice"] }),
  author: z.string().meta({ examples: ["Jane Austen"] }),
  price: z.string().meta({ examples: ["12.99"] }),
});

const toOldBook = <Row extends { readonly price: number }>(row: Row) => ({
  ...row,
  price: (row.price / 100).toFixed(2),
});

const deprecated = (replacement: string) =>
  ({ since: "2026-06-30", sunset: "2027-06-30", replacement }) as const;

export const listOldBooks = publicFactory.build({
  tag,
  shortDescription: "Lists books",
  deprecated: deprecated("/v2/books"),
  output: z.object({ books: z.array(oldBook) }),
  handler: async ({ ctx: { db } }) => {
    const found = await listPage(db, { sort: "title" }, { limit: 1000, offset: 0 });
    return { books: found.books.map(toOldBook) };
  },
});

export const readOldBook = bookFactory.build({
  tag,
  shortDescription: "Reads a book",
  deprecated: deprecated("/v2/books/:id"),
  output: oldBook,
  handler: async ({ ctx }) => toOldBook(ctx.row),
});
