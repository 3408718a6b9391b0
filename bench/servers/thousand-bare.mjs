// The 1,000 endpoints of thousand.mjs, on bare node:http with Zod's safeParse.
import { createServer } from "node:http";
import { z } from "zod";
import { send } from "../serve-bare.mjs";
import { createThousand } from "../workloads.mjs";

const routes = new Map(
  createThousand(z).map(({ path, ...route }) => [path.replace("/:id", ""), route]),
);

createServer((request, response) => {
  if (request.url === "/heap") {
    globalThis.gc();
    send(response, 200, { status: "success", data: { used: process.memoryUsage().heapUsed } });
    return;
  }
  const at = request.url.lastIndexOf("/");
  const route = routes.get(request.url.slice(0, at));
  if (!route) {
    response.writeHead(404).end();
    return;
  }
  const parsed = route.input.safeParse({ id: request.url.slice(at + 1) });
  if (!parsed.success) {
    send(response, 400, { status: "error", error: { message: z.prettifyError(parsed.error) } });
    return;
  }
  const data = route.output.parse(route.respond(parsed.data));
  send(response, 200, { status: "success", data });
}).listen(Number(process.argv[2]));
