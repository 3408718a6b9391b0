import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { createClient, ReplyError, type OutputOf } from "sallyport/client";
import { queryKey, queryOptions } from "sallyport/tanstack-query";
// `import type`: no server code gets into the bundle
import type { routing } from "../../src/routing.ts";

/** The client of the API, which has the same origin as this page. */
export const client = createClient<typeof routing>({ baseUrl: "", retry: 2, timeout: 30_000 });

export type Account = OutputOf<typeof client, "get /v2/me">;
export type Book = OutputOf<typeof client, "get /v2/books/:id">;
export type Cart = OutputOf<typeof client, "get /v2/cart">;
export type Order = OutputOf<typeof client, "get /v2/orders/:id">;

export const accountQuery = queryOptions(client, "get /v2/me");
export const cartQuery = queryOptions(client, "get /v2/cart");

/** Tells whether a call has failed with a status. */
export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ReplyError && error.status === status;

/** Asks who is logged in when a call says that nobody is, for example because the session has expired. */
export const checkSession = (error: unknown): void => {
  const { queryKey } = accountQuery;
  if (hasStatus(error, 401) && queryClient.getQueryState(queryKey)?.status === "success")
    void queryClient.resetQueries({ queryKey });
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: checkSession }),
  mutationCache: new MutationCache({ onError: checkSession }),
  // the client retries what may help
  defaultOptions: { queries: { retry: false } },
});

/** Fetches what is displayed beneath a path again. */
export const refresh = (path: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: queryKey(path) });
