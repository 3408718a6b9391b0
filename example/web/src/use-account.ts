import { useQuery } from "@tanstack/react-query";
import { sessionQuery, type Account } from "./client.ts";

/** Returns the account that is logged in; null if none is, and undefined as long as this is unknown. */
export const useAccount = (): Account | null | undefined => useQuery(sessionQuery).data?.account;
