import { createServer, defaultEndpointsFactory } from "sallyport";
import { z } from "zod";
import { createdUser, createPage, createSchemas, createUser } from "../workloads.mjs";
import { createQuietConfig } from "./quiet-config.mjs";

const schemas = createSchemas(z);

// `sallyport:plain` is measured without shortcuts
await createServer(createQuietConfig({ shortcuts: process.argv[3] !== "plain" }), {
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
