// Sends requests to the recipes from docs/express.md, which the test has copied verbatim next to this directory.
import assert from "node:assert/strict";
import { SpanKind } from "@opentelemetry/api";
import { createServer } from "node:http";
import { io } from "socket.io-client";
import { createClient } from "./client.mjs";
import { listen } from "./places.mjs";

const toUrl = ({ server }) => `http://127.0.0.1:${server.servers[0].address().port}`;
const load = (name) => import(`../recipes/${name}.js`);

const waitFor = async (find) => {
  for (let turn = 0; turn < 400; turn++) {
    const found = find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("It did not come");
};

/** Checks a recipe with requests to its server. */
const proves = (prove) => async (name) => {
  const recipe = await load(name);
  const url = toUrl(recipe);
  try {
    await prove({ ...createClient(url), url });
  } finally {
    await recipe.server.close();
  }
};

/** Checks that a host passes requests on to the API. */
const answers = async (send) => {
  const found = await send("/api/hello");
  assert.deepEqual([found.status, (await found.json()).data], [200, { from: "sallyport" }]);
  assert.equal((await send("/api/nowhere")).status, 404);
};

const recipes = {
  sessions: proves(async ({ send }) => {
    const first = await send("/visits");
    assert.deepEqual(first.data, { visits: 1 });
    const { data } = await send("/visits", { headers: { cookie: first.cookie } });
    assert.deepEqual(data, { visits: 2 });
  }),
  passport: proves(async ({ send }) => {
    const refused = await send("/me");
    assert.equal(refused.status, 401);
    assert.deepEqual(refused.json, { status: "error", error: { message: "Unauthorized" } });
    const headers = { authorization: "Bearer t0ken" };
    assert.deepEqual((await send("/me", { headers })).data, { name: "Ada" });
  }),
  "rate-limit": proves(async ({ post, send }) => {
    const preflight = {
      method: "OPTIONS",
      headers: { origin: "https://a.example", "access-control-request-method": "POST" },
    };
    for (let turn = 0; turn < 3; turn++)
      assert.equal((await send("/login", preflight)).status, 200);
    assert.deepEqual((await post("/login")).data, { token: "t0ken" });
    await post("/login");
    const refused = await post("/login");
    assert.equal(refused.status, 429);
    assert.equal(refused.json.error.message, "Slow down");
  }),
  sentry: proves(async ({ send }) => {
    const { events } = await import("./instrument-sentry.mjs");
    assert.equal((await send("/users/7")).status, 500);
    const event = await waitFor(() => events.find(({ exception }) => exception));
    assert.equal(event.exception.values[0].value, "no user 7");
    assert.equal(event.transaction, "GET /users/:id");
    const transaction = await waitFor(() => events.find(({ type }) => type === "transaction"));
    assert.equal(transaction.transaction, "GET /users/:id");
  }),
  "sentry-attached": async (name) => {
    const { events } = await import("./instrument-sentry.mjs");
    const { server } = await load(name);
    const { send } = createClient(await listen(server));
    assert.equal((await send("/users/8")).status, 500);
    const event = await waitFor(() => events.find(({ exception }) => exception));
    assert.equal(event.exception.values[0].value, "no user 8");
    server.closeAllConnections();
    server.close();
  },
  opentelemetry: proves(async ({ send }) => {
    const { exporter } = await import("./instrument-opentelemetry.mjs");
    assert.deepEqual((await send("/users/7")).data, { id: "7" });
    const span = await waitFor(() =>
      exporter.getFinishedSpans().find(({ kind }) => kind === SpanKind.SERVER),
    );
    assert.equal(span.attributes["http.route"], "/users/:id");
    assert.equal(span.name, "GET /users/:id");
  }),
  "socket-io": proves(async ({ send, url }) => {
    const client = io(url, { reconnection: false });
    assert.equal(await client.timeout(5000).emitWithAck("say", "hello"), "echo: hello");
    client.disconnect();
    assert.deepEqual((await send("/hello")).data, { hello: "world" });
  }),
  graphql: proves(async ({ post }) => {
    const { json } = await post("/graphql", { query: '{ hello(name: "Ada") }' });
    assert.deepEqual(json, { data: { hello: "Hello, Ada" } });
  }),
  proxy: async (name) => {
    const upstream = createServer(async (request, response) => {
      let text = "";
      for await (const piece of request) text += piece;
      response.end(`${request.method} ${request.url} ${text}`);
    });
    process.env.UPSTREAM = await listen(upstream);
    await proves(async ({ post }) => {
      assert.equal((await post("/legacy/a/b?c=1", { d: 2 })).text, 'POST /legacy/a/b?c=1 {"d":2}');
    })(name);
    upstream.close();
  },
  "fetch-srvx": async (name) => {
    const { server } = await load(name);
    await server.ready();
    await answers((path) => fetch(new URL(path, server.url)));
    await server.close(true);
  },
  "fetch-hono": async (name) => {
    const { server } = await load(name);
    assert.equal(await (await server.request("/")).text(), "Hono");
    await answers((path) => server.request(path));
  },
  "fetch-h3": async (name) => {
    const { server } = await load(name);
    assert.equal(await (await server.request("/")).text(), "h3");
    await answers((path) => server.request(path));
  },
  serverless: async (name) => {
    const { handler } = await load(name);
    const event = {
      version: "2.0",
      rawPath: "/greet",
      rawQueryString: "",
      headers: { host: "a.example", "content-type": "application/json" },
      requestContext: { http: { method: "POST", path: "/greet", sourceIp: "192.0.2.1" } },
      body: '{"name":"Ada"}',
      isBase64Encoded: false,
    };
    const { statusCode, body } = await handler(event, {});
    assert.deepEqual([statusCode, JSON.parse(body).data], [200, { greeting: "Hello, Ada" }]);
  },
};

const [name] = process.argv.slice(2);
await recipes[name](name);
process.stdout.write("\nproven\n");
process.exit(0);
