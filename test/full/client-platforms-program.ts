import type { InferredClient } from "sallyport/client";
import type { routing } from "./client-platforms-routing.ts";

/** Uses every feature of a client, and returns the results, which must not depend on the platform. */
export const drive = async (
  client: InferredClient<typeof routing>,
): Promise<Readonly<Record<string, unknown>>> => {
  const unsendable = await client
    .provide("get /users/:id", { id: ".." })
    .catch((error: Error) => error.name);
  const controller = new AbortController();
  controller.abort();
  const aborted = await client
    .provide("get /users", {}, { signal: controller.signal })
    .catch((error: Error) => error.name);
  const late = await client
    .provide("get /sleep", {}, { timeout: 50 })
    .catch((error: Error) => error.name);
  const away = await client
    .provide("post /away", { name: "Ada" })
    .catch((error: Error) => error.name);
  const ids: string[] = [];
  for await (const { id } of client.iterate("get /users", { limit: 2 })) ids.push(id);
  const events: unknown[] = [];
  for await (const { data, id } of client.subscribe("get /count", {}, { delay: 1 })) {
    events.push([data, id]);
    // each connection delivers three events, so this takes two reconnections
    if (events.length === 7) break;
  }
  const refused = await client.request("post /users", { name: "", bornOn: new Date(0) });
  const picture = new File(["Grüße"], "a b.txt", { type: "text/plain" });
  return {
    ...{ unsendable, aborted, late, away, ids, events },
    moved: await client.provide("get /moved"),
    refused: [refused.ok, refused.status, refused.body],
    user: await client.provide("get /users/:id", { id: "ä/ö ?&#%", tag: ["x", "y"] }),
    created: await client.provide("post /users", { name: "Ada", bornOn: new Date(0) }),
    sent: await client.provide("post /users/:id/picture", { id: "1", picture }),
    more: client.hasMore(await client.provide("get /users", { limit: 2 })),
  };
};
