// Run by soak.test.ts with --expose-gc: the API of soak-program.mjs, written by hand on bare node:http with Zod.
import { createServer } from "node:http";
import { z } from "zod";

const getInput = z.object({
  id: z.string().regex(/^\d+$/).transform(Number),
  tag: z.string().optional(),
});
const getOutput = z.object({ id: z.number(), agent: z.string() });
const postInput = z.object({ name: z.string().min(1), tags: z.array(z.string()).max(10) });
const postOutput = z.object({ name: z.string() });

const send = (response, status, body) => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
};

const answer = (response, schema, input, respond) => {
  const { success, data, error } = schema.safeParse(input);
  if (success) send(response, 200, { status: "success", data: respond(data) });
  else send(response, 400, { status: "error", error: { message: z.prettifyError(error) } });
};

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/heap") {
    globalThis.gc();
    globalThis.gc();
    send(response, 200, { status: "success", data: { used: process.memoryUsage().heapUsed } });
    return;
  }
  if (request.method === "GET") {
    const input = { ...Object.fromEntries(searchParams), id: pathname.split("/")[2] };
    const agent = request.headers["user-agent"] ?? "";
    answer(response, getInput, input, ({ id }) => getOutput.parse({ id, agent }));
    return;
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    let input;
    try {
      input = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      send(response, 400, { status: "error", error: { message: "Invalid JSON" } });
      return;
    }
    answer(response, postInput, input, ({ name }) => postOutput.parse({ name }));
  });
});

server.listen(0, "127.0.0.1", () => process.stdout.write(`port ${server.address().port}\n`));
