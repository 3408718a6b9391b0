import fastify from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import { z } from "zod";
import { createdUser, createPage, createSchemas, createUser } from "../workloads.mjs";

const schemas = createSchemas(z);
const app = fastify();
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);

const enveloped = (data) => ({ 200: z.object({ status: z.literal("success"), data }) });
const succeed = (data) => ({ status: "success", data });

app.get(
  "/v1/users/:id",
  {
    schema: {
      params: schemas.getParams,
      querystring: schemas.getQuery,
      response: enveloped(schemas.getOutput),
    },
  },
  async ({ params, query }) => succeed(createUser(params.id, query.verbose)),
);
app.get(
  "/v1/users",
  { schema: { querystring: schemas.listInput, response: enveloped(schemas.listOutput) } },
  async ({ query }) => succeed(createPage(query.limit, query.offset)),
);
app.post(
  "/v1/users",
  { schema: { body: schemas.postInput, response: enveloped(schemas.postOutput) } },
  async ({ body }) => succeed(createdUser(body.name)),
);
await app.listen({ port: Number(process.argv[2]) });
