import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { client } from "./client.ts";
import { createKey } from "./create-key.ts";
import { DemoLog, useLog } from "./demo-log.tsx";
import { cancelOrder, placeOrder, withDemoCart } from "./demo-order.ts";
import { Failure } from "./form.tsx";
import { toOrderName, toStatusWords } from "./format.ts";

/** A connection that can be cut: calls through it fail then, and what is being received breaks off. */
const createLine = () => {
  let controller = new AbortController();
  return {
    cut: () => controller.abort(),
    mend: () => void (controller = new AbortController()),
    fetch: (url: string, { signal, ...init }: RequestInit) =>
      fetch(url, {
        ...init,
        signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
      }),
  };
};

/** Follows the events of orders through a connection that people can cut and mend. */
export const EventsDemo = () => {
  const { lines, add } = useLog();
  const [line] = useState(createLine);
  const [isCut, setCut] = useState(false);
  const cutRef = useRef(false);
  useEffect(() => {
    const controller = new AbortController();
    const follow = async () => {
      const events = client.subscribe(
        "get /v2/orders/events",
        {},
        {
          signal: controller.signal,
          fetch: line.fetch,
          // soon enough to watch
          maxDelay: 1000,
          onRequest: ({ headers }) => {
            const last = headers.get("last-event-id");
            if (!cutRef.current)
              add(last === null ? "→ GET /v2/orders/events" : `→ GET … Last-Event-ID: ${last}`);
          },
          onResponse: (_attempt, { status }) => add(`← ${status}, the stream is open`, "good"),
        },
      );
      for await (const { event, data, id } of events)
        add(
          event === "changed"
            ? `← ${toOrderName(data.id)}: ${toStatusWords(data.status)} (id ${id})`
            : "← gap: too much was missed, so the page fetches everything again",
        );
    };
    follow().catch((error: unknown) => {
      if (!controller.signal.aborted) add(String(error), "bad");
    });
    return () => controller.abort();
  }, [line]);
  const order = useMutation({
    mutationFn: () =>
      withDemoCart(async () => {
        const { body } = await placeOrder(createKey());
        await cancelOrder(body.data);
        if (cutRef.current) add("Two events are published, which nobody here receives", "bad");
      }),
  });
  const toggle = () => {
    const next = !isCut;
    cutRef.current = next;
    setCut(next);
    add(next ? "✂ The connection is cut" : "The connection is mended; the client comes back");
    if (next) line.cut();
    else line.mend();
  };
  return (
    <section>
      <h2>Events that survive a broken connection</h2>
      <p>
        Cut the connection, order, and mend it: the client names the last event that it has
        received, and the server sends what was missed. The order is cancelled at once.
      </p>
      <p className="buttons">
        <button aria-pressed={isCut} onClick={toggle}>
          {isCut ? "Mend the connection" : "Cut the connection"}
        </button>
        <button aria-disabled={order.isPending} onClick={() => order.isPending || order.mutate()}>
          Order a book and cancel it
        </button>
      </p>
      <Failure error={order.error} />
      <DemoLog label="Events" lines={lines} />
    </section>
  );
};
