// The second part of npm run bench:types: measures what a typed client costs the compiler, in addition to its server.
// Instantiations are deterministic.
import { parseArgs } from "node:util";
import { createBench } from "./compile.mjs";
import { toClient, toPrinter, toServer } from "./client-programs.mjs";

const { values } = parseArgs({
  options: {
    compiler: { type: "string" },
    endpoints: { type: "string", default: "100,300,1000" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const measureAll = ({ write, remove, measure, declareFile, execute }, endpoints) => {
  write("server.ts", toServer(endpoints));
  write("client.ts", toClient(endpoints));
  write("idle.ts", toClient(endpoints, 0));
  const server = measure("server.ts");
  const both = measure("client.ts");
  declareFile("server.ts");
  const declarations = measure("client.ts");
  const idle = measure("idle.ts");
  write("print.ts", toPrinter(endpoints));
  write("server.d.ts", execute("print.ts"));
  remove("print.ts");
  const written = measure("client.ts");
  const idleOnWritten = measure("idle.ts");
  return {
    endpoints,
    server,
    both,
    written,
    clientOnWritten: written.instantiations - idleOnWritten.instantiations,
    client: both.instantiations - server.instantiations,
    declarations,
    clientOnDeclarations: declarations.instantiations - idle.instantiations,
  };
};

const print = (version, results) => {
  process.stdout.write(`${version}\n\n`);
  const show = ({ instantiations, megabytes, seconds }) =>
    `${(instantiations / 1000).toFixed(1).padStart(7)}k ${megabytes.toFixed(0).padStart(4)} MB ${seconds.toFixed(2)} s`;
  for (const result of results) {
    const { endpoints, server, both, client } = result;
    const { declarations, clientOnDeclarations, written, clientOnWritten } = result;
    process.stdout.write(
      `${String(endpoints).padStart(5)} endpoints: server ${show(server)}; with a client ${show(both)}; the client alone ${(client / 1000).toFixed(1)}k
                 on emitted declarations ${show(declarations)}; the client alone ${(clientOnDeclarations / 1000).toFixed(1)}k
                 on the file of --types ${show(written)}; the client alone ${(clientOnWritten / 1000).toFixed(1)}k\n`,
    );
  }
};

const main = () => {
  if (values.help) {
    process.stdout.write(
      "Measures what a typed client costs the compiler.\n\n  --compiler PATH   the tsc to measure with\n  --endpoints LIST  the numbers of endpoints, such as 100,1000; multiples of 100\n  --json            prints JSON\n",
    );
    return;
  }
  const bench = createBench("sallyport-types-client", values.compiler);
  const counts = values.endpoints.split(",").map(Number);
  const results = counts.map((count) => measureAll(bench, count));
  if (values.json) process.stdout.write(JSON.stringify(results));
  else print(bench.version, results);
};

main();
