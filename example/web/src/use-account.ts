import { useQuery } from "@tanstack/react-query";
import { accountQuery, hasStatus, type Account } from "./client.ts";

/** Returns the account that is logged in; null if none is, and undefined as long as this is unknown. */
export const useAccount = (): Account | null | undefined => {
  const { data, error } = useQuery(accountQuery);
  return hasStatus(error, 401) ? null : data;
};
