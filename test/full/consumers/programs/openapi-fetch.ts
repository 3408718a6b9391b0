// Calls the example with openapi-fetch and the types that openapi-typescript generates.
import createClient from "openapi-fetch";
import type { components, paths } from "../generated/openapi-typescript-example-3.1.js";
import { assert, key, url } from "./outside.ts";

const client = createClient<paths>({ baseUrl: url, headers: { "x-api-key": key } });
const body = { name: "Grace", email: "grace@example.com", role: "admin" } as const;

const { data: created } = await client.POST("/v1/users", { body });
assert(created !== undefined, "created");
const user: components["schemas"]["User"] = created.data;
const path = { id: user.id };

const { data: read } = await client.GET("/v1/users/{id}", { params: { path } });
assert(read?.data.name === body.name, "read");
const { data: listed } = await client.GET("/v1/users", { params: { query: { limit: 1 } } });
assert(listed?.data.users.length === 1, "listed");
const { error } = await client.PATCH("/v1/users/{id}", {
  params: { path: { id: crypto.randomUUID() } },
  body: { name: "Nobody" },
});
assert(error?.error.message === "There is no such user", "missing");
const { response } = await client.DELETE("/v1/users/{id}", { params: { path } });
assert(response.status === 200, "removed");
process.stdout.write("proven\n");
