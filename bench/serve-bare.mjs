// A hand-written node:http server that validates input and output with schemas.
import { createServer } from "node:http";
import { z } from "zod";
import { createdUser, createPage, createSchemas, createUser } from "./workloads.mjs";

/** Sends a value as a JSON response. */
export const send = (response, status, value) => {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
};

const answer = (response, input, output, given, handle) => {
  const parsed = input.safeParse(given);
  if (!parsed.success) {
    send(response, 400, { status: "error", error: { message: z.prettifyError(parsed.error) } });
    return;
  }
  const returned = output.safeParse(handle(parsed.data));
  if (returned.success) send(response, 200, { status: "success", data: returned.data });
  else send(response, 500, { status: "error", error: { message: "Internal Server Error" } });
};

/** Serves the workloads on the port in the process's arguments; `prepare` creates a parser from each schema. */
export const serveBare = (prepare) => {
  const schemas = Object.fromEntries(
    Object.entries(createSchemas(z)).map(([name, schema]) => [name, prepare(schema)]),
  );
  createServer((request, response) => {
    const { url, method } = request;
    const mark = url.indexOf("?");
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = Object.fromEntries(new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)));
    if (method === "GET" && path.startsWith("/v1/users/"))
      answer(
        response,
        schemas.getInput,
        schemas.getOutput,
        { ...query, id: path.slice(10) },
        ({ id, verbose }) => createUser(id, verbose),
      );
    else if (method === "GET" && path === "/v1/users")
      answer(response, schemas.listInput, schemas.listOutput, query, ({ limit, offset }) =>
        createPage(limit, offset),
      );
    else if (method === "POST" && path === "/v1/users") {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () =>
        answer(
          response,
          schemas.postInput,
          schemas.postOutput,
          JSON.parse(Buffer.concat(chunks).toString()),
          ({ name }) => createdUser(name),
        ),
      );
    } else response.writeHead(404).end();
  }).listen(Number(process.argv[2]));
};
