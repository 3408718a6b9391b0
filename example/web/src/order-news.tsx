import { useEffect, useState } from "react";
import { checkSession, client, hasStatus, refresh } from "./client.ts";
import { toOrderName, toStatusWords } from "./format.ts";
import { focusHeading } from "./screen.tsx";

/** What may change with an order: another tab may have placed it, and a cancelled one puts books back. */
const affected = ["/v2/orders", "/v2/cart", "/v2/books"];

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
        void Promise.all(affected.map(refresh));
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
    <div className="news">
      <p role="status" aria-label="News of orders">
        {news}
      </p>
      {news !== "" && (
        <button
          aria-label="Close the news"
          onClick={() => {
            setNews("");
            // the button that had the focus is gone
            focusHeading();
          }}
        >
          ×
        </button>
      )}
    </div>
  );
};
