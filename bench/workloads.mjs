// The parts that all servers have in common, without dependencies, so that each server uses its own Zod.

/** @typedef {"get" | "list" | "post"} WorkloadName */

export const createUser = (id, verbose) => ({
  id,
  name: "Ada Lovelace",
  email: "ada@example.com",
  active: true,
  address: { street: "1 Main St", city: "London", zip: "N1" },
  tags: ["a", "b", verbose ?? "no"],
});

export const createPage = (limit, offset) => ({
  users: Array.from({ length: limit }, (_, index) => createUser(offset + index)),
  total: 1000,
  limit,
  offset,
});

export const createdUser = (name) => ({ id: 1, name });

/** Creates the schemas of all three workloads. */
export const createSchemas = (z) => {
  const user = z.object({
    id: z.number().int(),
    name: z.string(),
    email: z.email(),
    active: z.boolean(),
    address: z.object({ street: z.string(), city: z.string(), zip: z.string() }),
    tags: z.array(z.string()),
  });
  const id = z.string().regex(/^\d+$/).transform(Number);
  const verbose = z.enum(["yes", "no"]).optional();
  return {
    getInput: z.object({ id, verbose }),
    getParams: z.object({ id }),
    getQuery: z.object({ verbose }),
    getOutput: user,
    listInput: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    listOutput: z.object({
      users: z.array(user),
      total: z.number().int(),
      limit: z.number().int(),
      offset: z.number().int(),
    }),
    postInput: z.object({
      name: z.string().min(1),
      email: z.email(),
      age: z.number().int().min(0),
      tags: z.array(z.string()).max(10),
      address: z.object({ street: z.string(), zip: z.string().regex(/^[A-Z]\d+$/) }),
    }),
    postOutput: z.object({ id: z.number().int(), name: z.string() }),
  };
};

export const postBody = JSON.stringify({
  name: "Ada Lovelace",
  email: "ada@example.com",
  age: 36,
  tags: ["a", "b", "c"],
  address: { street: "1 Main St", zip: "N1" },
});

/** The requests that wrk sends, with the expected responses. */
export const workloads = {
  get: {
    path: "/v1/users/42?verbose=yes",
    expected: { status: "success", data: createUser(42, "yes") },
  },
  list: {
    path: "/v1/users?limit=20&offset=0",
    expected: { status: "success", data: createPage(20, 0) },
  },
  post: {
    path: "/v1/users",
    method: "POST",
    body: postBody,
    expected: { status: "success", data: createdUser("Ada Lovelace") },
  },
};

/** Creates 1,000 endpoints, each with its own schemas. */
export const createThousand = (z) =>
  Array.from({ length: 1000 }, (_, index) => ({
    path: `/v1/things${index}/:id`,
    input: z.object({
      id: z.string().regex(/^\d+$/).transform(Number),
      sort: z.enum(["name", "age"]).optional(),
    }),
    output: z.object({ id: z.number().int(), name: z.string(), tags: z.array(z.string()) }),
    respond: ({ id }) => ({ id, name: `thing ${index}`, tags: ["a", "b"] }),
  }));
