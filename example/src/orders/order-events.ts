import { createChannel, redisChannel } from "sallyport/channel";
import { redis } from "../redis.ts";
import type { OrderRow } from "./orders.ts";
import { orderChange } from "./order-schemas.ts";

/** Tells the pages of customers when their orders change. */
export const orderEvents = createChannel({
  events: { changed: orderChange },
  store: redis && redisChannel(redis, { key: "shop:orders" }),
});

/** Publishes the state of an order to its customer. */
export const publishOrder = async (order: OrderRow): Promise<void> => {
  await orderEvents.publish("changed", order, { topic: order.accountId });
};
