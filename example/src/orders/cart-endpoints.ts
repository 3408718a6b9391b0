import { and, asc, eq } from "drizzle-orm";
import { z } from "zod";
import { bookId, noBook } from "../books/book-schemas.ts";
import type { Database } from "../database/connection.ts";
import { books, cartItems } from "../database/tables.ts";
import { accountFactory, inTransaction } from "../factories.ts";

const tag = "cart";

const quantity = z
  .int()
  .min(1)
  .max(100)
  .meta({ examples: [2] });

const cart = z
  .object({
    items: z.array(
      z.object({
        bookId,
        title: z.string().meta({ examples: ["Pride and Prejudice"] }),
        price: z.int().meta({ examples: [1299] }),
        quantity,
        stock: z.int().meta({ examples: [20] }),
      }),
    ),
    total: z
      .int()
      .describe("In cents")
      .meta({ examples: [2598] }),
  })
  .meta({ id: "Cart" });

const readItems = async (db: Database, accountId: string) => {
  const items = await db
    .select({
      bookId: books.id,
      title: books.title,
      price: books.price,
      quantity: cartItems.quantity,
      stock: books.stock,
    })
    .from(cartItems)
    .innerJoin(books, eq(books.id, cartItems.bookId))
    .where(eq(cartItems.accountId, accountId))
    .orderBy(asc(books.title), books.id);
  return { items, total: items.reduce((sum, { price, quantity }) => sum + price * quantity, 0) };
};

export const readCart = accountFactory.build({
  tag,
  shortDescription: "Reads the cart",
  output: cart,
  handler: async ({ ctx: { db, caller } }) => readItems(db, caller.id),
});

export const replaceCart = accountFactory.addMiddleware(inTransaction).build({
  method: "put",
  tag,
  shortDescription: "Replaces the books in the cart",
  errors: { 409: "There is no such book" },
  input: z.object({
    items: z
      .array(z.object({ bookId, quantity }))
      .max(50)
      .refine(
        (items) => new Set(items.map(({ bookId }) => bookId)).size === items.length,
        "Name each book once",
      ),
  }),
  output: cart,
  handler: async ({ input: { items }, ctx: { tx, caller } }) => {
    await tx.delete(cartItems).where(eq(cartItems.accountId, caller.id));
    if (items.length > 0)
      await tx.insert(cartItems).values(items.map((item) => ({ ...item, accountId: caller.id })));
    return readItems(tx, caller.id);
  },
});

export const setCartItem = accountFactory.addMiddleware(inTransaction).build({
  method: "put",
  tag,
  shortDescription: "Sets how often a book is in the cart",
  errors: noBook,
  input: z.object({ bookId, quantity }),
  output: cart,
  handler: async ({ input: { bookId, quantity }, ctx: { tx, caller }, errors }) => {
    const [known] = await tx.select({ id: books.id }).from(books).where(eq(books.id, bookId));
    if (!known) throw errors.noBook();
    await tx
      .insert(cartItems)
      .values({ accountId: caller.id, bookId, quantity })
      .onConflictDoUpdate({
        target: [cartItems.accountId, cartItems.bookId],
        set: { quantity },
      });
    return readItems(tx, caller.id);
  },
});

export const removeCartItem = accountFactory.build({
  method: "delete",
  tag,
  shortDescription: "Takes a book out of the cart",
  input: z.object({ bookId }),
  output: cart,
  handler: async ({ input: { bookId }, ctx: { db, caller } }) => {
    await db
      .delete(cartItems)
      .where(and(eq(cartItems.accountId, caller.id), eq(cartItems.bookId, bookId)));
    return readItems(db, caller.id);
  },
});
