// The source code of a server with many endpoints, and of its client, for bench:types and bench:completion.
import { range } from "./compile.mjs";

const methods = ["get", "post", "get", "patch", "delete"];

/** Writes an endpoint with 4 input fields and 5 output fields, one of which is an object. */
const toEndpoint = (index) => `
export const endpoint${index} = factory.build({
  method: "${methods[index % 5]}",
  input: z.object({
    id: z.string(),
    name${index}: z.string().min(1),
    age: z.number().optional(),
    tag: z.enum(["a", "b"]),
  }),
  output: z.object({
    id: z.string(),
    name${index}: z.string(),
    role: z.enum(["admin", "member"]),
    tags: z.array(z.string()),
    address: z.object({ street: z.string(), size: z.number() }),
  }),
  handler: async ({ input }) => ({
    id: input.id,
    name${index}: input.name${index},
    role: "admin",
    tags: [],
    address: { street: "", size: input.age ?? 0 },
  }),
});`;

/** Writes a routing map with five endpoints per resource: two for the collection, three for a member. */
const toRouting = (endpoints) => `
export const routing = {
  v1: {${range(endpoints / 5)
    .map((group) => {
      const [list, create, read, update, remove] = range(5).map(
        (of) => `endpoint${group * 5 + of}`,
      );
      return `
    things${group}: {
      get: ${list},
      post: ${create},
      ":id": { get: ${read}, patch: ${update}, delete: ${remove} },
    },`;
    })
    .join("")}
  },
};`;

const toApi = (endpoints, end) =>
  [
    `import { createConfig, createServer, defaultEndpointsFactory as factory } from "sallyport";`,
    `import { z } from "zod";`,
    ...range(endpoints).map(toEndpoint),
    toRouting(endpoints),
    end,
  ].join("\n");

/** Writes an API with the given number of endpoints, and its server. */
export const toServer = (endpoints) =>
  toApi(endpoints, "void createServer(createConfig({ cors: true }), routing);");

/** Writes a program that prints the types of an API as `sallyport client --types` does, without starting a server. */
export const toPrinter = (endpoints) =>
  toApi(
    endpoints,
    `import { generateClient } from "sallyport/generate-client";
process.stdout.write(generateClient({ routing, types: true }));`,
  );

/** Writes a client with calls spread over the routes; each call uses the input and the nested object of the output. */
export const toClient = (endpoints, calls = 20) =>
  [
    `import { createClient } from "sallyport/client";`,
    `import type { routing } from "./server.js";`,
    `const client = createClient<typeof routing>({ baseUrl: "/" });`,
    ...range(calls).map((call) => {
      const index = Math.floor((call * endpoints) / 20) + (call % 5);
      const path = `/v1/things${Math.floor(index / 5)}${index % 5 < 2 ? "" : "/:id"}`;
      return `
const response${call} = await client.provide("${methods[index % 5]} ${path}", { id: "1", name${index}: "n", tag: "a" });
if (response${call}.status === "success") console.log(response${call}.data.address.size);`;
    }),
    "export {};",
  ].join("\n");
