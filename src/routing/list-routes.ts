import { RouteTable } from "./route-table.ts";
import type { Routing } from "./routing.ts";
import { walkRouting, type RoutingEntry, type WalkOptions } from "./walk-routing.ts";

/**
 * Lists the entries of a routing map.
 *
 * @throws RoutingError when the routing is invalid.
 */
export const listRoutes = (routing: Routing, options: WalkOptions): readonly RoutingEntry[] => {
  const entries = [...walkRouting(routing, options)];
  const table = new RouteTable<true>();
  for (const entry of entries)
    if (entry.kind === "endpoint") table.add(entry.method, entry.path, true);
  return entries;
};
