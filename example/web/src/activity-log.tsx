import { useEffect, useState } from "react";
import { client, refreshUsers } from "./client.ts";

/** Shows the latest changes to users, including those made by other clients. */
export const ActivityLog = () => {
  const [lines, setLines] = useState<readonly string[]>([]);

  useEffect(() => {
    const controller = new AbortController();
    const follow = async () => {
      const events = client.subscribe("get /v1/users/watch", {}, { signal: controller.signal });
      for await (const { event, data } of events) {
        const line = event === "saved" ? `${data.name} was saved` : `${data.id} was deleted`;
        setLines((before) => [line, ...before].slice(0, 8));
        await refreshUsers();
      }
    };
    follow().catch((error: unknown) => setLines([`No activity: ${String(error)}`]));
    return () => controller.abort();
  }, []);

  return (
    <section>
      <h2>Activity</h2>
      <ul aria-label="Activity">
        {lines.map((line, index) => (
          <li key={lines.length - index}>{line}</li>
        ))}
      </ul>
    </section>
  );
};
