import type { ClientOptions } from "./call-options.ts";
import { createPlainClient } from "./client.ts";
import type { Client as InferredClient } from "./inferred-client.ts";
import { hasMore, type HasMore } from "./pages.ts";

/** A client whose types are inferred from a routing map, created by {@link createClient}. */
export type Client<R> = InferredClient<R>;

/** Functions that work with any client. */
export const Client: {
  /** Returns whether there are more pages after the result of `provide`, the page in it, or the result of `request`. */
  readonly hasMore: HasMore;
} = { hasMore };

/**
 * Creates a client for an API. The client's types are inferred from the routing map; no server code gets into your
 * bundle.
 *
 * @example
 * import type { routing } from "your-server/routing";
 *
 * const client = createClient<typeof routing>({ baseUrl: "https://api.example.com" });
 * const response = await client.provide("get /v1/users/:id", { id: "7" });
 * if (response.status === "success") console.log(response.data.name);
 */
export const createClient = <R>(options: ClientOptions): Client<R> =>
  createPlainClient(options) as unknown as Client<R>;
