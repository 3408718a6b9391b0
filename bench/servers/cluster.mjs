// The server of the three workloads, in the number of processes given by the second argument, behind one port.
import cluster from "node:cluster";
import { fileURLToPath } from "node:url";

const [, , port, workers] = process.argv;
cluster.setupPrimary({
  exec: fileURLToPath(new URL("sallyport.mjs", import.meta.url)),
  args: [port],
});
for (let count = Number(workers); count > 0; count--) cluster.fork();
