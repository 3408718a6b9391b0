import { useMutation } from "@tanstack/react-query";
import { queryOptions } from "sallyport/tanstack-query";
import { client, queryClient } from "./client.ts";
import { createKey } from "./create-key.ts";
import { DemoLog, useLog } from "./demo-log.tsx";
import { cancelOrder, placeOrder, withDemoCart } from "./demo-order.ts";
import { Failure } from "./form.tsx";
import { toOrderName } from "./format.ts";

/** Sends the same order twice under one key. */
export const RetryDemo = () => {
  const { lines, add, clear } = useLog();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      withDemoCart(async () => {
        clear();
        const key = createKey();
        const placed = new Map<string, number>();
        for (const attempt of ["first", "second"]) {
          add(`→ POST /v2/orders, the ${attempt} time, Idempotency-Key: ${key}`);
          const { status, headers, body } = await placeOrder(key);
          const { id, version } = body.data;
          placed.set(id, version);
          const isReplayed = headers.get("idempotency-replayed") === "true";
          add(
            `← ${status} ${toOrderName(id)}${isReplayed ? ", the same reply replayed" : ""}`,
            "good",
          );
        }
        const { orders } = await queryClient.fetchQuery(
          queryOptions(client, "get /v2/orders", { limit: 5 }),
        );
        const count = orders.filter(({ id }) => placed.has(id)).length;
        add(`Your orders list ${count} of it. It is cancelled now.`);
        for (const [id, version] of placed) await cancelOrder({ id, version });
      }),
  });
  return (
    <section>
      <h2>A retry that does not order twice</h2>
      <p>
        When a reply is lost, the page sends the order again with the same key. The shop answers the
        same without ordering again.
      </p>
      <p className="buttons">
        <button aria-disabled={isPending} onClick={() => isPending || mutate()}>
          Send one order twice
        </button>
      </p>
      <Failure error={error} />
      <DemoLog label="Retries" lines={lines} />
    </section>
  );
};
