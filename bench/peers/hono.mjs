import { serve } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { z } from "zod";
import { createdUser, createPage, createSchemas, createUser } from "../workloads.mjs";

const schemas = createSchemas(z);
const app = new Hono();

// Hono does not validate output, so this function does
const succeed = (context, schema, data) =>
  context.json({ status: "success", data: schema.parse(data) });

app.get(
  "/v1/users/:id",
  zValidator("param", schemas.getParams),
  zValidator("query", schemas.getQuery),
  async (context) => {
    const { id } = context.req.valid("param");
    const { verbose } = context.req.valid("query");
    return succeed(context, schemas.getOutput, createUser(id, verbose));
  },
);
app.get("/v1/users", zValidator("query", schemas.listInput), async (context) => {
  const { limit, offset } = context.req.valid("query");
  return succeed(context, schemas.listOutput, createPage(limit, offset));
});
app.post("/v1/users", zValidator("json", schemas.postInput), async (context) =>
  succeed(context, schemas.postOutput, createdUser(context.req.valid("json").name)),
);
serve({ fetch: app.fetch, port: Number(process.argv[2]) });
