import { QueryClient } from "@tanstack/react-query";
import { createClient } from "sallyport/client";
import { queryKey } from "sallyport/tanstack-query";
// `import type`: no server code gets into the bundle
import type { routing } from "../../../test/fixtures/users-api/src/routing.ts";

/** The client of the API, which has the same origin as this page. */
export const client = createClient<typeof routing>({
  baseUrl: "",
  // the example's key; a real page would let its users log in
  headers: { "x-api-key": "open-sesame" },
});

/** A user as the API sends it: dates are strings. */
export type User = Extract<
  Awaited<ReturnType<typeof client.provide<"get /v1/users/:id">>>,
  { status: "success" }
>["data"];

export const queryClient = new QueryClient();

/** Fetches all displayed lists of users again. */
export const refreshUsers = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: queryKey("/v1/users") });
