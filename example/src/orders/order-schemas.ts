import { ez } from "sallyport";
import { z } from "zod";
import { account } from "../accounts/account-schemas.ts";
import { bookId } from "../books/book-schemas.ts";

export const orderId = z
  .uuid()
  .describe("The id of the order")
  .meta({ examples: ["0194b5c1-2b7e-7c31-9a44-5d1f3c2e8a70"] });

const cents = z.int().meta({ examples: [1299] });
const title = z.string().meta({ examples: ["Pride and Prejudice"] });
const quantity = z.int().meta({ examples: [2] });

/** An order in a list. */
export const orderSummary = z
  .object({
    id: orderId,
    status: z.enum(["placed", "paid", "refused", "cancelled"]),
    total: z
      .int()
      .describe("In cents")
      .meta({ examples: [2598] }),
    version: z.int().meta({ examples: [1] }),
    createdAt: ez.dateOut({ examples: ["2026-11-30T09:00:00.000Z"] }),
  })
  .meta({ id: "OrderSummary" });

/** An order as administrators see it. */
export const customerOrder = orderSummary
  .extend({ customer: account.pick({ name: true, email: true }) })
  .meta({ id: "CustomerOrder" });

/** An order as its customer sees it. */
export const order = orderSummary
  .extend({
    cancelUntil: ez
      .dateOut({ examples: ["2026-11-30T09:05:00.000Z"] })
      .describe("When the payment of a placed order is asked for"),
    items: z.array(z.object({ bookId, title, price: cents, quantity })),
  })
  .meta({ id: "Order" });

/** What customers hear when their order changes. */
export const orderChange = orderSummary.pick({ id: true, status: true, version: true });

/** The errors of an order that cannot be placed; `field` names what the customer changes in the cart. */
export const orderErrors = {
  emptyCart: { status: 422, description: "The cart is empty" },
  otherTotal: {
    status: 422,
    description: "Prices have changed: look at the cart again",
    schema: z.object({
      total: z
        .int()
        .describe("What the cart costs now, in cents")
        .meta({ examples: [2598] }),
    }),
  },
  shortage: {
    status: 409,
    description: "There are too few of a book",
    schema: z.object({
      bookId,
      title,
      field: z.literal("quantity"),
      quantity: quantity.describe("How many were ordered"),
      stock: z
        .int()
        .describe("How many there are")
        .meta({ examples: [1] }),
    }),
  },
} as const;
