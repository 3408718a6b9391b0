import { z } from "zod";

/** The greatest integer of a column of the database. */
export const maxInteger = 2_147_483_647;

const text = (max: number) => z.string().trim().min(1).max(max);

/** The fields of a book that administrators set. */
export const bookFields = z.object({
  isbn: z
    .string()
    .regex(/^97[89]\d{10}$/, "An ISBN has 13 digits")
    .meta({ examples: ["9780141439518"] }),
  title: text(200).meta({ examples: ["Pride and Prejudice"] }),
  author: text(200).meta({ examples: ["Jane Austen"] }),
  category: text(50).meta({ examples: ["Novel"] }),
  description: z
    .string()
    .trim()
    .max(5000)
    .meta({ examples: ["Elizabeth Bennet meets Mr Darcy, and both are wrong."] })
    .default(""),
  price: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe("In cents")
    .meta({ examples: [1299] }),
  stock: z
    .int()
    .min(0)
    .max(maxInteger)
    .meta({ examples: [20] }),
});

/** Some of the fields of a book. */
export const bookChanges = z.object({
  ...bookFields.partial().shape,
  // without the default, which would replace the description
  description: bookFields.shape.description.unwrap().optional(),
});

export type BookFields = z.output<typeof bookFields>;

export const bookId = z
  .uuid()
  .describe("The id of the book")
  .meta({ examples: ["0194b5c0-9dc0-71d3-b0c6-8f0d2c1ad1b9"] });

/** The error of a book that does not exist. */
export const noBook = { noBook: { status: 404, description: "There is no such book" } } as const;

/** A book as clients see it. */
export const book = bookFields
  .extend({
    id: bookId,
    description: z
      .string()
      .meta({ examples: ["Elizabeth Bennet meets Mr Darcy, and both are wrong."] }),
    version: z
      .int()
      .describe("Grows with each change, sales included")
      .meta({ examples: [1] }),
    cover: z
      .string()
      .nullable()
      .describe("The path of the cover")
      .meta({ examples: ["/v2/books/0194b5c0-9dc0-71d3-b0c6-8f0d2c1ad1b9/cover?file=5f2b.png"] }),
  })
  .meta({ id: "Book" });

const price = (example: number) =>
  z.coerce
    .number()
    .int()
    .min(0)
    .max(maxInteger)
    .describe("In cents")
    .meta({ examples: [example] });

/** Which books to list. */
export const bookFilter = z.object({
  q: z
    .string()
    .trim()
    .max(100)
    .optional()
    .describe("A part of the title or the author")
    .meta({ examples: ["Austen"] }),
  category: z
    .string()
    .optional()
    .describe("A category that has books")
    .meta({ examples: ["Novel"] }),
  minPrice: price(500).optional(),
  maxPrice: price(3000).optional(),
  inStock: z
    .stringbool()
    .optional()
    .describe("Only books that can be delivered")
    .meta({ examples: ["true"] }),
});

export type BookFilter = z.output<typeof bookFilter>;
