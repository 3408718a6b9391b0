import { ez } from "sallyport";
import { z } from "zod";

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
