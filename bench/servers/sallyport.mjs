import { createConfig, createServer, defaultEndpointsFactory } from "sallyport";
import { z } from "zod";
import { createdUser, createPage, createSchemas, createUser } from "../workloads.mjs";

const schemas = createSchemas(z);

const config = createConfig({
  http: { listen: Number(process.argv[2]) },
  cors: false,
  logger: { level: "silent" },
  accessLogger: null,
  startupLogo: false,
});

await createServer(config, {
  "get /v1/users/:id": defaultEndpointsFactory.build({
    input: schemas.getInput,
    output: schemas.getOutput,
    handler: async ({ input }) => createUser(input.id, input.verbose),
  }),
  "get /v1/users": defaultEndpointsFactory.build({
    input: schemas.listInput,
    output: schemas.listOutput,
    handler: async ({ input }) => createPage(input.limit, input.offset),
  }),
  "post /v1/users": defaultEndpointsFactory.build({
    input: schemas.postInput,
    output: schemas.postOutput,
    handler: async ({ input }) => createdUser(input.name),
  }),
});
