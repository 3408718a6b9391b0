import type { ReactNode } from "react";
import type { Order } from "./client.ts";
import { toDate, toMoney, toStatusWords } from "./format.ts";

interface Props<Listed> {
  readonly orders: readonly Listed[];
  /** What names an order. */
  readonly children: (order: Listed) => ReactNode;
}

/** Lists orders with their time, total and status. */
export const OrderList = <Listed extends Pick<Order, "createdAt" | "id" | "status" | "total">>({
  orders,
  children,
}: Props<Listed>) =>
  orders.length === 0 ? (
    <p>There are no orders yet.</p>
  ) : (
    <ul className="orders">
      {orders.map((order) => (
        <li key={order.id}>
          {children(order)}
          <time dateTime={order.createdAt}>{toDate(order.createdAt)}</time>
          <span>{toMoney(order.total)}</span>
          <span className={`status ${order.status}`}>{toStatusWords(order.status)}</span>
        </li>
      ))}
    </ul>
  );
