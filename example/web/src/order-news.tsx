import { useEffect, useState } from "react";
import { checkSession, client, hasStatus, refresh } from "./client.ts";
import { toOrderName, toStatusWords } from "./format.ts";

/** Follows the events of the account's orders: says what has changed, and fetches what is displayed again. */
export const OrderNews = () => {
  const [news, setNews] = useState("");

  useEffect(() => {
    const controller = new AbortController();
    const follow = async () => {
      const events = client.subscribe(
        "get /v2/orders/events",
        {},
        // what has changed before the stream was open is in no event
        { signal: controller.signal, onResponse: () => void refresh("/v2/orders") },
      );
      for await (const { event, data } of events) {
        // after a gap, the events do not tell what has changed
        if (event === "changed") setNews(`${toOrderName(data.id)}: ${toStatusWords(data.status)}`);
        void refresh("/v2/orders");
      }
    };
    follow().catch((error: unknown) => {
      if (hasStatus(error, 401)) checkSession(error);
      else if (!controller.signal.aborted)
        setNews("To see whether orders change, load this page again");
    });
    return () => controller.abort();
  }, []);

  return (
    <p className="news" role="status" aria-label="News of orders">
      {news}
    </p>
  );
};
