import type { Order } from "./client.ts";

const money = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" });
const date = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** Formats an amount in cents. */
export const toMoney = (cents: number): string => money.format(cents / 100);

export const toDate = (time: string): string => date.format(new Date(time));

/** The name of an order, which people can tell each other. */
export const toOrderName = (id: string): string => `Order ${id.slice(0, 8)}`;

const words = {
  placed: "Waiting for payment",
  paid: "Paid",
  refused: "Payment refused",
  cancelled: "Cancelled",
} as const satisfies Record<Order["status"], string>;

export const toStatusWords = (status: Order["status"]): string => words[status];
