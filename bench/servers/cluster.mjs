// Serves the three workloads in several processes behind one port; the second argument is the number of processes.
import cluster from "node:cluster";
import { fileURLToPath } from "node:url";

const [, , port, workers] = process.argv;
cluster.setupPrimary({
  exec: fileURLToPath(new URL("sallyport.mjs", import.meta.url)),
  args: [port],
});
for (let count = Number(workers); count > 0; count--) cluster.fork();
