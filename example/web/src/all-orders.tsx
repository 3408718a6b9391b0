import { useInfiniteQuery } from "@tanstack/react-query";
import { infiniteQueryOptions } from "sallyport/tanstack-query";
import { client } from "./client.ts";
import { Failure } from "./form.tsx";
import { MoreButton } from "./more-button.tsx";
import { OrderList } from "./order-list.tsx";
import { Loading } from "./screen.tsx";

/** Lists the orders of all customers, the newest first, for administrators. */
export const AllOrders = () => {
  const list = useInfiniteQuery(infiniteQueryOptions(client, "get /admin/orders", { limit: 10 }));
  const orders = list.data?.pages.flatMap(({ orders }) => orders);
  return (
    <section>
      <h2>Orders</h2>
      <Failure error={list.error} />
      {list.isPending && <Loading />}
      {orders && (
        <OrderList orders={orders}>
          {({ customer }) => (
            <span>
              {customer.name}, {customer.email}
            </span>
          )}
        </OrderList>
      )}
      <MoreButton list={list}>Show older orders</MoreButton>
    </section>
  );
};
