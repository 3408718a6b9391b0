export { runCluster, type ClusterOptions } from "./run-cluster.ts";
