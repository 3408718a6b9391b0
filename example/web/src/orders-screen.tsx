import { useInfiniteQuery } from "@tanstack/react-query";
import { infiniteQueryOptions } from "sallyport/tanstack-query";
import { client } from "./client.ts";
import { Failure } from "./form.tsx";
import { toOrderName } from "./format.ts";
import { MoreButton } from "./more-button.tsx";
import { OrderList } from "./order-list.tsx";
import { Loading, Screen } from "./screen.tsx";

/** Lists the orders, the newest first. */
export default function OrdersScreen() {
  const list = useInfiniteQuery(infiniteQueryOptions(client, "get /v2/orders", { limit: 10 }));
  const orders = list.data?.pages.flatMap(({ orders }) => orders);
  return (
    <Screen title="Orders">
      <Failure error={list.error} />
      {list.isPending && <Loading />}
      {orders && (
        <OrderList orders={orders}>
          {({ id }) => <a href={`#/orders/${id}`}>{toOrderName(id)}</a>}
        </OrderList>
      )}
      <MoreButton list={list}>Show older orders</MoreButton>
    </Screen>
  );
}
