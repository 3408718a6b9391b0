import { RouteTable } from "./route-table.ts";
import type { Routing } from "./routing.ts";
import { walkRouting, type WalkOptions } from "./walk-routing.ts";

/** @throws RoutingError when the routing is wrong. */
export const assertRouting = (routing: Routing, options: WalkOptions): void => {
  const table = new RouteTable<true>();
  for (const entry of walkRouting(routing, options))
    if (entry.kind === "endpoint") table.add(entry.method, entry.path, true);
};
