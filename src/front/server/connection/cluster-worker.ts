import type { Cluster, Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/** Returns what this process is to the primary of a cluster; undefined if it is not one of its workers. */
export const findClusterWorker = (): Worker | undefined => {
  // the types tell the members of the module, which are those of its default
  const { worker } = process.getBuiltinModule("node:cluster") as unknown as Cluster;
  return worker;
};

/** How long other servers of this process may keep it in the cluster once it is to end, in milliseconds. */
const longestLeaving = 5000;

/**
 * Leaves the cluster before the process ends. The primary may send a connection before it has learned that the server is
 * closed; it gives this one to another worker once this process has refused it, and would lose it otherwise.
 */
export const leaveCluster = async (): Promise<void> => {
  const worker = findClusterWorker();
  if (!worker?.isConnected()) return;
  const left = once(worker, "disconnect");
  worker.disconnect();
  await Promise.race([left, wait(longestLeaving)]);
};
