// A hand-written node:http server without validation: the limit for all servers.
import { createServer } from "node:http";
import { createdUser, createPage, createUser } from "../workloads.mjs";

const send = (response, data) => {
  const body = JSON.stringify({ status: "success", data });
  response.writeHead(200, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
};

createServer((request, response) => {
  const { url, method } = request;
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
  if (method === "GET" && path.startsWith("/v1/users/"))
    send(response, createUser(Number(path.slice(10)), query.get("verbose") ?? undefined));
  else if (method === "GET" && path === "/v1/users")
    send(response, createPage(Number(query.get("limit") ?? 20), Number(query.get("offset") ?? 0)));
  else if (method === "POST" && path === "/v1/users") {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () =>
      send(response, createdUser(JSON.parse(Buffer.concat(chunks).toString()).name)),
    );
  } else response.writeHead(404).end();
}).listen(Number(process.argv[2]));
