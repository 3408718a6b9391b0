// The parts that the servers with a production stack have in common, without dependencies.
import { eventMark } from "./client.mjs";
import { createdUser, createPage, createSchemas, createUser, postBody } from "./workloads.mjs";

const origin = "https://app.example.com";
const origins = new Set([origin]);

export const isAllowedOrigin = (value) => origins.has(value);

const users = new Map(
  Array.from({ length: 1000 }, (_, id) => [`Bearer token-${id}`, { id, tenant: id % 10 }]),
);
const tenants = new Map(Array.from({ length: 10 }, (_, id) => [id, { name: `tenant ${id}` }]));

/** Returns the user with the given `Authorization`, or undefined. */
export const findUser = (authorization) => users.get(authorization);

/** Loads the tenant of a user, as from a cache in front of a database. */
export const loadTenant = async ({ tenant }) => tenants.get(tenant);

/** The message of every 401. */
export const unknownToken = "Unknown token";

/** A limit that is never reached. */
export const limit = { requests: 1_000_000_000, milliseconds: 600_000 };

/** What is logged for each request, in addition to its id. */
export const toLine = (method, url, status, milliseconds) => ({
  method,
  url,
  status,
  milliseconds: Math.round(milliseconds),
});

const createOther = (z, at) => ({
  method: "get",
  path: `/v1/things${at}/:id`,
  params: z.object({ id: z.string().regex(/^\d+$/).transform(Number) }),
  output: z.object({ id: z.number().int(), name: z.string() }),
  handle: ({ id }) => ({ id, name: `thing ${at}` }),
});

/** Creates the 200 routes: those of the workloads are in the middle. */
export const createRoutes = (z) => {
  const schemas = createSchemas(z);
  const own = [
    {
      method: "get",
      path: "/v1/users/:id",
      params: schemas.getParams,
      query: schemas.getQuery,
      output: schemas.getOutput,
      handle: ({ id, verbose }) => createUser(id, verbose),
    },
    {
      method: "get",
      path: "/v1/users",
      query: schemas.listInput,
      output: schemas.listOutput,
      handle: ({ limit: count, offset }) => createPage(count, offset),
    },
    {
      method: "post",
      path: "/v1/users",
      body: schemas.postInput,
      output: schemas.postOutput,
      handle: ({ name }) => createdUser(name),
    },
  ];
  const others = Array.from({ length: 197 }, (_, at) => createOther(z, at));
  return [...others.slice(0, 98), ...own, ...others.slice(98)];
};

/** Creates what sends events to those who follow a topic, as written by hand. */
export const createTopics = () => {
  const followers = new Map();
  let last = 0;
  return {
    follow: (topic, response) => {
      const all = followers.get(topic) ?? new Set();
      followers.set(topic, all.add(response));
      response.once("close", () => all.delete(response));
      response.write("retry: 2000\n\n");
    },
    publish: (topic, data) => {
      const frame = `id: ${++last}\nevent: message\ndata: ${JSON.stringify(data)}\n\n`;
      for (const response of followers.get(topic) ?? []) response.write(frame);
    },
  };
};

export const streamFields = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };

/** Creates the schemas of an event, of the paths of topics, and of the response to publishing. */
export const createEventSchemas = (z) => ({
  event: z.object({ text: z.string(), at: z.number().int() }),
  params: z.object({ topic: z.string() }),
  output: z.object({ published: z.boolean() }),
});

const fields = { Origin: origin, Authorization: "Bearer token-7", "User-Agent": "bench" };

const success = (data) => ({ status: "success", data });

const post = { path: "/v1/users", method: "POST", body: postBody, fields };

/** The requests, with the status and the body of the response; of an error, only the words that its message contains. */
export const stackWorkloads = {
  get: { path: "/v1/users/42?verbose=yes", fields, expected: success(createUser(42, "yes")) },
  list: { path: "/v1/users?limit=20&offset=0", fields, expected: success(createPage(20, 0)) },
  large: {
    path: "/v1/users?limit=100&offset=100000",
    fields,
    expected: success(createPage(100, 100_000)),
  },
  post: { ...post, expected: success(createdUser("Ada Lovelace")) },
  400: {
    ...post,
    body: JSON.stringify({ ...JSON.parse(postBody), name: "", email: "ada", age: -1 }),
    status: 400,
    words: ["name", "email", "age"],
  },
  401: {
    ...post,
    body: JSON.stringify({ ...JSON.parse(postBody), name: "a".repeat(10_000) }),
    fields: { ...fields, Authorization: "Bearer unknown" },
    status: 401,
    words: [unknownToken],
  },
  event: {
    path: "/v1/events/news",
    method: "POST",
    body: JSON.stringify({ text: `${eventMark} has happened`, at: 1_800_000_000 }),
    fields,
    expected: success({ published: true }),
    stream: { path: "/v1/events/news", fields },
    followers: 500,
  },
};

/** The header fields of every response, as patterns of their lines. */
export const expectedFields = [
  /^x-request-id: [\da-f-]{36}$/m,
  RegExp(`^access-control-allow-origin: ${origin}$`, "m"),
  /^access-control-allow-credentials: true$/m,
  /^vary: .*origin/im,
  /^content-security-policy: default-src 'self'/m,
  /^strict-transport-security: /m,
  /^x-content-type-options: nosniff$/m,
  /^x-frame-options: SAMEORIGIN$/m,
  /^(x-)?ratelimit/m,
  /^content-type: application\/json/m,
  /^content-length: /m,
];

const one = { path: "/v1/one/7", fields: { ...fields, "If-None-Match": '"8"' } };
const oneWithKey = {
  path: "/v1/one",
  method: "POST",
  body: JSON.stringify({ id: "7" }),
  fields: { ...fields, "Idempotency-Key": "key-{n}" },
};

/** The requests that show the price of each feature; those without a feature come first. */
/** What each feature may add to a bare endpoint, in thousands of instructions: a tenth more than was measured. */
export const priceBounds = {
  middleware: 3,
  native: 9,
  "native-hook": 27,
  around: 14,
  "helmet-hook": 94,
  "helmet-factory": 79,
  cors: 29,
  id: 31,
  line: 30,
  "rate-limit": 36,
  telemetry: 19,
  conditions: 66,
  idempotency: 252,
};

export const priceWorkloads = {
  nothing: one,
  middleware: one,
  native: one,
  "native-hook": one,
  around: one,
  "helmet-hook": one,
  "helmet-factory": one,
  cors: one,
  id: one,
  line: one,
  "rate-limit": one,
  telemetry: one,
  conditions: one,
  "nothing-post": oneWithKey,
  idempotency: oneWithKey,
};
