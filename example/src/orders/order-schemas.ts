import { ez } from "sallyport";
import { z } from "zod";
import { account } from "../accounts/account-schemas.ts";

export const orderId = z.uuid().describe("The id of the order");

/** An order in a list. */
export const orderSummary = z
  .object({
    id: orderId,
    status: z.enum(["placed", "paid", "refused", "cancelled"]),
    total: z.int().describe("In cents"),
    version: z.int(),
    createdAt: ez.dateOut(),
  })
  .meta({ id: "OrderSummary" });

/** An order as administrators see it. */
export const customerOrder = orderSummary
  .extend({ customer: account.pick({ name: true, email: true }) })
  .meta({ id: "CustomerOrder" });

/** An order as its customer sees it. */
export const order = orderSummary
  .extend({
    cancelUntil: ez.dateOut().describe("When the payment of a placed order is asked for"),
    items: z.array(
      z.object({ bookId: z.uuid(), title: z.string(), price: z.int(), quantity: z.int() }),
    ),
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
    schema: z.object({ total: z.int().describe("What the cart costs now, in cents") }),
  },
  shortage: {
    status: 409,
    description: "There are too few of a book",
    schema: z.object({
      bookId: z.uuid(),
      title: z.string(),
      field: z.literal("quantity"),
      quantity: z.int().describe("How many were ordered"),
      stock: z.int().describe("How many there are"),
    }),
  },
} as const;
