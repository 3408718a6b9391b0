// Calls the example with the client that @hey-api/openapi-ts generates.
import { client } from "../generated/hey-api-example-3.1/client.gen.js";
import {
  deleteV1UsersById,
  getV1ExportsUsersCsv,
  getV1Users,
  getV1UsersById,
  patchV1UsersById,
  postV1Users,
} from "../generated/hey-api-example-3.1/index.js";
import { assert, key, url } from "./outside.ts";

client.setConfig({ baseUrl: url });
const body = { name: "Ada", email: "ada@example.com" };

const refused = await postV1Users({ body });
assert(refused.response?.status === 401, "no key");

client.setConfig({ auth: key });
const { data: created, error } = await postV1Users({ body });
assert(created !== undefined, JSON.stringify(error));
const { id, role, createdAt } = created.data;
assert(role === "member" && createdAt.endsWith("Z"), "created");

const again = await postV1Users({ body });
assert(again.error !== undefined && "data" in again.error.error, "taken");
assert(again.error.error.data.email === body.email, "data of an error");

const changed = await patchV1UsersById({ path: { id }, body: { role: "admin" } });
assert(changed.data?.data.role === "admin", "changed");
const listed = await getV1Users({ query: { limit: 5, offset: 0 } });
assert(listed.data?.data.users[0]?.id === id && listed.data.data.total === 1, "listed");
const csv = await getV1ExportsUsersCsv({ parseAs: "text" });
assert(csv.data?.includes('"admin"') === true, "exported");

const removed = await deleteV1UsersById({ path: { id } });
assert(removed.response?.status === 200, "removed");
const missing = await getV1UsersById({ path: { id } });
assert(missing.error?.error.message === "There is no such user", "missing");
process.stdout.write("proven\n");
