import { useInfiniteQuery } from "@tanstack/react-query";
import { infiniteQueryOptions } from "sallyport/tanstack-query";
import { client } from "./client.ts";
import { Failure } from "./form.tsx";
import { toDate, toMoney, toOrderName, toStatusWords } from "./format.ts";
import { MoreButton } from "./more-button.tsx";
import { Loading, Screen } from "./screen.tsx";

/** Lists the orders, the newest first. */
export default function OrdersScreen() {
  const list = useInfiniteQuery(infiniteQueryOptions(client, "get /v2/orders", { limit: 10 }));
  const orders = list.data?.pages.flatMap(({ orders }) => orders);
  return (
    <Screen title="Orders">
      <Failure error={list.error} />
      {list.isPending && <Loading />}
      {orders?.length === 0 && <p>There are no orders yet.</p>}
      <ul className="orders">
        {orders?.map(({ id, status, total, createdAt }) => (
          <li key={id}>
            <a href={`#/orders/${id}`}>{toOrderName(id)}</a>
            <time dateTime={createdAt}>{toDate(createdAt)}</time>
            <span>{toMoney(total)}</span>
            <span className={`status ${status}`}>{toStatusWords(status)}</span>
          </li>
        ))}
      </ul>
      <MoreButton list={list}>Show older orders</MoreButton>
    </Screen>
  );
}
