import { MutationCache, onlineManager, QueryCache, QueryClient } from "@tanstack/react-query";
import {
  createClient,
  NetworkError,
  ReplyError,
  TimeoutError,
  type OutputOf,
} from "sallyport/client";
import { queryKey, queryOptions } from "sallyport/tanstack-query";
// `import type`: no server code gets into the bundle
import type { routing } from "../../src/routing.ts";

/** The difference between the server's clock and this machine's, in milliseconds. */
let clockOffset = 0;

/** The client of the API, which has the same origin as this page. */
export const client = createClient<typeof routing>({
  baseUrl: "",
  retry: 2,
  timeout: 30_000,
  onResponse: (_attempt, { headers }) => {
    const time = Date.parse(headers.get("date") ?? "");
    if (time) clockOffset = time - Date.now();
  },
});

/** Returns the time on the server's clock, in milliseconds. */
export const toServerTime = (): number => Date.now() + clockOffset;

export type Account = OutputOf<typeof client, "get /v2/me">;
export type Book = OutputOf<typeof client, "get /v2/books/:id">;
export type Cart = OutputOf<typeof client, "get /v2/cart">;
export type Order = OutputOf<typeof client, "get /v2/orders/:id">;

export const sessionQuery = queryOptions(client, "get /v2/session");
export const cartQuery = queryOptions(client, "get /v2/cart");

/** Tells whether a call has failed with a status. */
export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ReplyError && error.status === status;

/** Tells whether the shop, or the way to it, is down. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof TimeoutError ||
  // also of a proxy, whose body is its own
  (error instanceof Error && "status" in error && [502, 503, 504].includes(Number(error.status)));

/** Lets queries wait until the shop can be reached again; what they have fetched stays. */
const waitIfUnreachable = (error: unknown): boolean => {
  if (!isUnreachable(error)) return false;
  onlineManager.setOnline(false);
  return true;
};

/** Asks who is logged in when a call says that nobody is, for example because the session has expired. */
export const checkSession = (error: unknown): void => {
  const { queryKey } = sessionQuery;
  if (hasStatus(error, 401) && queryClient.getQueryData(queryKey)?.account)
    void queryClient.resetQueries({ queryKey });
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: checkSession }),
  mutationCache: new MutationCache({
    onError: (error) => {
      checkSession(error);
      waitIfUnreachable(error);
    },
  }),
  defaultOptions: {
    // the client retries what may help, so this is for longer outages
    queries: { retry: (_count, error) => waitIfUnreachable(error), gcTime: 1_800_000 },
    // someone may have changed their mind by the time the shop is back
    mutations: { networkMode: "always" },
  },
});

/** Fetches what is displayed beneath a path again. */
export const refresh = (path: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: queryKey(path) });
