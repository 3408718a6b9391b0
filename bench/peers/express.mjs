// Express with hand-written validation.
import express from "express";
import { z } from "zod";
import { createdUser, createPage, createSchemas, createUser } from "../workloads.mjs";

const schemas = createSchemas(z);
const app = express();
app.disable("x-powered-by");
app.set("etag", false);

const route = (input, output, read, handle) => async (request, response) => {
  const parsed = input.safeParse(read(request));
  if (!parsed.success) {
    response
      .status(400)
      .json({ status: "error", error: { message: z.prettifyError(parsed.error) } });
    return;
  }
  response.json({ status: "success", data: output.parse(await handle(parsed.data)) });
};

app.get(
  "/v1/users/:id",
  route(
    schemas.getInput,
    schemas.getOutput,
    ({ query, params }) => ({ ...query, ...params }),
    async ({ id, verbose }) => createUser(id, verbose),
  ),
);
app.get(
  "/v1/users",
  route(
    schemas.listInput,
    schemas.listOutput,
    ({ query }) => query,
    async ({ limit, offset }) => createPage(limit, offset),
  ),
);
app.post(
  "/v1/users",
  express.json(),
  route(
    schemas.postInput,
    schemas.postOutput,
    ({ body }) => body,
    async ({ name }) => createdUser(name),
  ),
);
app.listen(Number(process.argv[2]));
