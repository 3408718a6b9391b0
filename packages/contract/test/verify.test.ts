import { once } from "node:events";
import createHttpError from "http-errors";
import { defaultEndpointsFactory, EventStreamFactory, ez } from "sallyport";
import { createChannel } from "sallyport/channel";
import { rateLimit } from "sallyport/rate-limit";
import { testServer } from "sallyport/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { record, verify, type VerifyOptions } from "../src/index.ts";
import { toVerifyJUnit } from "../src/verify/report.ts";
import { createTortureApi } from "./verify-api.ts";

test.each([2, 3, 4, 5])("nothing is found in an honest API with seed %i", async (seed) => {
  const { ok, text } = await verify({ ...createTortureApi(), seed });
  expect(ok ? "ok" : text).toBe("ok");
});

test("nothing is found in an API that keeps to its document, and its statuses are seen", async () => {
  const { ok, text, table, failures } = await verify(createTortureApi());
  expect(failures).toEqual([]);
  expect([ok, text.includes("No failures")]).toEqual([true, true]);
  const unseen = table.flatMap(({ operation, statuses }) =>
    statuses
      .filter(({ seen, status }) => seen === 0 && status < 500)
      .map(({ status }) => `${operation} ${status}`),
  );
  // ids of notes are any strings, and raw bodies have any type
  expect(unseen).toEqual([
    ...["delete /notes/:id 400", "get /notes/:id 400"],
    ...["put /notes/:id 404", "post /raw 415"],
  ]);
  const undeclared = table.flatMap(({ statuses }) => statuses.filter((one) => !one.declared));
  expect(undeclared).toEqual([]);
});

/** Runs `verify`, and returns what was sent; keys stand apart. */
const listCalls = async (seed: number) => {
  const calls: string[] = [];
  const keys: string[] = [];
  const { config, ...api } = createTortureApi();
  await verify({
    ...api,
    config: {
      ...config,
      beforeRouting: ({ app }) =>
        void app.use((request, _response, next) => {
          const { "idempotency-key": key, ...headers } = request.headers;
          calls.push(`${request.method} ${request.originalUrl} ${JSON.stringify(headers)}`);
          if (typeof key === "string") keys.push(key);
          next();
        }),
    },
    seed,
  });
  return { calls, keys };
};

test("the same seed gives the same calls, and another seed others", async () => {
  const [one, same, other] = [await listCalls(1), await listCalls(1), await listCalls(2)];
  expect(one.calls.length).toBeGreaterThan(400);
  expect(same.calls).toEqual(one.calls);
  expect(other.calls).not.toEqual(one.calls);
});

test("idempotency keys are those of no other run, because a store may remember them", async () => {
  const [one, other] = [await listCalls(1), await listCalls(1)];
  expect(one.keys.length).toBeGreaterThan(10);
  expect(other.keys.filter((key) => key.length > 9 && one.keys.includes(key))).toEqual([]);
});

const readUser = defaultEndpointsFactory.build({
  input: z.object({ id: z.string() }),
  output: z.object({ name: z.string() }),
  errors: { 404: "There is no such user" },
  handler: ({ input, errors }) => {
    if (input.id !== "u7") throw errors[404]();
    return { name: "Ada" };
  },
});
const users = { routing: { users: { ":id": readUser } }, seed: 1 } satisfies VerifyOptions;

test("an operation that never succeeds is a failure that names the fix", async () => {
  const { ok, failures } = await verify(users);
  expect(ok).toBe(false);
  expect(failures).toMatchObject([
    { operation: "get /users/:id", check: "positive_answer", status: 404 },
  ]);
  expect(failures[0]?.message).toContain('Add fixtures: { "get /users/:id": () => ({ … }) }');
  expect(failures[0]?.curl).toBe("curl -X GET 'http://localhost:8090/users/a'");
});

test("an operation or a check is left out with a reason, which the report has", async () => {
  const skip = { "get /users/:id": "There are no users yet." };
  const result = await verify({ ...users, skip });
  expect(result.ok).toBe(true);
  expect(result.text).toContain("get /users/:id: There are no users yet.");
  expect(result.skipped).toEqual([{ name: "get /users/:id", reason: "There are no users yet." }]);
  expect(toVerifyJUnit(result)).toContain('<skipped message="There are no users yet."/>');
  const one = await verify({ ...users, skip: { "get /users/:id positive_answer": "Later." } });
  expect(one.ok).toBe(true);
});

test("a fixture has what an operation needs, and serves paths below", async () => {
  const { ok, table } = await verify({ ...users, fixtures: { "/users": () => ({ id: "u7" }) } });
  expect(ok).toBe(true);
  expect(table[0]?.statuses).toMatchObject([
    { status: 200, declared: true },
    { status: 400, declared: true, seen: 0 },
    { status: 404, declared: true },
    { status: 500, seen: 0, note: "only if the application has a defect" },
  ]);
});

test.each<[Partial<VerifyOptions>, string]>([
  [{ skip: { "get /user": "No." } }, "skip: get /user is neither an operation nor a check of one"],
  [{ skip: { "get /users/:id": "" } }, "skip: get /users/:id needs a reason"],
  [{ fixtures: { "/user": () => ({}) } }, "fixtures: /user is neither an operation nor a path"],
  [{ runs: -1 }, "runs must be an integer from 0; got -1"],
])("options that are wrong are named: %j", async (options, message) => {
  await expect(verify({ ...users, ...options })).rejects.toThrow(message);
});

test("a fixture that fails is a failure of its operation", async () => {
  const fixtures = { "/users": () => Promise.reject(new Error("No database")) };
  const { ok, failures } = await verify({ ...users, fixtures });
  expect(ok).toBe(false);
  expect(failures.map(({ check, message }) => `${check}: ${message}`)).toEqual([
    "positive_answer: The fixture of get /users/:id failed: No database",
  ]);
});

test("tuples, lists of one file and files of a fixture are sent as they are read", async () => {
  const types: (string | undefined)[] = [];
  const pictures = z.array(ez.upload().refine(({ mimetype }) => mimetype === "image/png"));
  const build = defaultEndpointsFactory.build.bind(defaultEndpointsFactory);
  const routing = {
    "post /places": build({
      input: z.object({ place: z.tuple([z.number(), z.number()]) }),
      output: z.object({}),
      handler: async () => ({}),
    }),
    "post /pictures": build({
      input: z.object({ pictures, title: z.string() }),
      output: z.object({}),
      handler: async ({ input }) => {
        types.push(...input.pictures.map(({ mimetype }) => mimetype));
        return {};
      },
    }),
  };
  const picture = new File(["a picture"], "ada.png", { type: "image/png" });
  const bytes = new File([new Uint8Array([0x89, 0xff])], "ada.png");
  const broken = await verify({
    ...{ routing, config: { cors: false, upload: true } },
    fixtures: { "post /pictures": () => ({ pictures: [bytes] }) },
  });
  expect(broken.failures.map(({ message }) => message)).toContainEqual(
    expect.stringContaining("The fixture of post /pictures failed: The encoded data was not valid"),
  );
  const { ok, text, checks } = await verify({
    ...{ routing, config: { cors: false, upload: true }, seed: 1, runs: 5 },
    fixtures: { "post /pictures": () => ({ pictures: [picture] }) },
  });
  expect(ok ? "ok" : text).toBe("ok");
  expect(new Set(types)).toEqual(new Set(["image/png"]));
  // the other fields are tried as well
  const refusals = checks.find(
    (one) => one.operation === "post /pictures" && one.check === "negative_data_rejection",
  );
  expect(refusals?.count).toBeGreaterThan(1);
});

test("a stale tag is one that the document allows, and a file of any type is not read", async () => {
  const tag = z.string().regex(/^"\d+"$/);
  const routing = {
    "put /notes": defaultEndpointsFactory.build({
      ...{ input: z.object({ text: z.string() }), output: z.object({}) },
      headers: z.object({ "if-match": tag.optional() }),
      errors: { 412: "It has changed" },
      handler: async ({ headers }) => {
        if (headers["if-match"] !== undefined) throw createHttpError(412, "It has changed");
        return {};
      },
    }),
    "get /file": defaultEndpointsFactory.build({
      output: ez.buffer("*/*"),
      handler: async ({ response }) => {
        response.type("application/json");
        return Buffer.from("{");
      },
    }),
  };
  const skip = {
    "put /notes positive_data_acceptance": "Any tag is another one.",
  };
  const { ok, text } = await verify({ routing, config: { cors: false }, skip, seed: 1, runs: 0 });
  expect(ok ? "ok" : text).toBe("ok");
});

test("a value in a path does not contain the text that ends it", async () => {
  const place = z.enum(["a", "b-c", "d-"]);
  const routing = {
    "get /flights/:from-:to": defaultEndpointsFactory.build({
      ...{ input: z.object({ from: place, to: place }), output: z.object({ to: place }) },
      handler: async ({ input: { to } }) => ({ to }),
    }),
  };
  const { ok, text } = await verify({ routing, config: { cors: false }, seed: 1, runs: 20 });
  expect(ok ? "ok" : text).toBe("ok");
});

test("a channel that has nothing to tell is not waited for", async () => {
  const news = createChannel({ events: { told: z.object({ text: z.string() }) } });
  const routing = {
    "get /news": new EventStreamFactory({}).build({ channel: news }),
  };
  const { ok, text, calls } = await verify({
    ...{ routing, config: { cors: false }, seed: 1, runs: 3, patience: 20_000 },
  });
  expect(ok ? "ok" : text).toBe("ok");
  expect(calls).toBeGreaterThan(0);
});

test("a stream whose first event is late is still a reply", async () => {
  const routing = {
    "get /late": new EventStreamFactory({ told: z.string() }, { openAfter: 1 }).build({
      handler: async ({ signal }) => once(signal, "abort"),
    }),
  };
  const { ok, text } = await verify({
    ...{ routing, config: { cors: false }, seed: 1, runs: 0, patience: 100 },
  });
  expect(ok ? "ok" : text).toBe("ok");
});

test("a call that a rate limit refuses names the limit", async () => {
  const limited = defaultEndpointsFactory.addMiddleware(
    rateLimit({ limit: 1, window: 60_000, key: () => "all" }),
  );
  const routing = {
    "post /session": limited.build({
      input: z.object({ name: z.literal("ada"), at: z.literal("b") }),
      handler: () => Promise.reject(createHttpError(403, "No")),
    }),
  };
  const { text } = await verify({ routing, config: { cors: false }, seed: 1, runs: 0 });
  expect(text).toContain("The smallest call got 429. Let a fixture return another key of the rate");
});

describe("a call that a rate limit refuses", () => {
  // what is described as a boolean, but accepts anything
  const lie = { input: z.object({ on: z.coerce.boolean() }), output: z.object({}) };
  const verifyLimited = (limit: number, config = {}) => {
    const limiter = rateLimit({ limit, window: 60_000, key: () => "one account" });
    const limited = defaultEndpointsFactory
      .addMiddleware(limiter)
      .build({ method: "post", ...lie, handler: async () => ({}) });
    return verify({
      ...{ routing: { "post /flags": limited }, config: { cors: false, ...config }, seed: 1 },
    });
  };

  test("is no proof that an invalid input is refused", async () => {
    const { failures } = await verifyLimited(1000);
    expect(failures.map(({ check }) => check)).toContain("negative_data_rejection");
    for (const limit of [1, 2, 3, 5, 10]) {
      const { ok, notes, checks } = await verifyLimited(limit, { trustProxy: 1 });
      const isNoted = notes.some((one) => one.startsWith("post /flags: a rate limit refused"));
      expect([limit, !ok || isNoted]).toEqual([limit, true]);
      const made = checks.reduce(
        (sum, one) => sum + (one.check === "not_a_server_error" ? one.count : 0),
        0,
      );
      expect(made).toBe(limit);
    }
  });

  test("is noted once for an operation, with what was never checked and the fix", async () => {
    const { notes, checks, text } = await verifyLimited(1);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(
      /^post \/flags: a rate limit refused \d+ of \d+ calls with 429; never checked: .*negative_data_rejection.*\. Let a fixture return another key .* set `trustProxy: 1`/,
    );
    expect(text).toContain(`Not checked:\n  ${notes[0]}`);
    expect(checks.map(({ check }) => check)).not.toContain("negative_data_rejection");
    expect(checks.map(({ check }) => check)).not.toContain("unsupported_media_type");
  });
});

test("the tests of a team are counted", async () => {
  const server = record(await testServer({}, users.routing), users);
  await server.fetch("/users/u7");
  await server.fetch(new Request("http://localhost/users/u8"));
  await server.fetch("/other");
  await server.close();
  expect(server.table()).toMatchObject([
    {
      operation: "get /users/:id",
      statuses: [
        { status: 200, seen: 1 },
        { status: 400, seen: 0 },
        { status: 404, seen: 1 },
        { status: 500, seen: 0 },
      ],
    },
  ]);
  expect(server.text()).toContain("200 ×1, 400 not seen, 404 ×1");
});

test("a failure is shown as a command and as a test, and in JUnit", async () => {
  const broken = defaultEndpointsFactory.build({
    method: "post",
    input: z.object({ count: z.int().min(0).max(9), more: z.string().optional() }),
    output: z.object({}),
    handler: ({ input }) => {
      if (input.count === 9) throw new Error("Too many");
      return {};
    },
  });
  const result = await verify({ routing: { counts: { post: broken } }, seed: 1 });
  const [failure] = result.failures;
  expect(failure?.curl).toBe(
    `curl -X POST 'http://localhost:8090/counts' -H 'content-type: application/json' --data-binary '{"count":9}'`,
  );
  expect(failure?.test).toContain('const response = await fetch("/counts", {');
  expect(failure?.test).toContain("assert.ok(response.status < 500);");
  expect(result.text).toContain("seed: 1");
  const junit = toVerifyJUnit(result);
  expect(junit).toContain('classname="post /counts" name="not_a_server_error"');
  expect(junit).toContain('<failure message="The reply is a 500.">');
});

test("a protected operation needs a login", async () => {
  const { routing, config } = createTortureApi();
  const { failures } = await verify({ routing: { profile: routing.profile }, config, seed: 1 });
  expect(failures.map(({ check, message }) => `${check}: ${message}`)).toEqual([
    expect.stringContaining(
      "positive_answer: No call succeeded, because nobody is logged in. The smallest call got 401. Add login: { sessionCookie: … }",
    ),
  ]);
});

test("a login that returns nothing is named", async () => {
  const { routing, config } = createTortureApi();
  const login = { sessionCookie: (async () => undefined) as never };
  const { text } = await verify({ routing: { profile: routing.profile }, config, login, seed: 1 });
  expect(text).toContain("verify: `login.sessionCookie` must return a string, such as a token, or");
});

test("a key in the query tells who calls", async () => {
  const keyed = (accepts: (key: string) => boolean) =>
    defaultEndpointsFactory
      .addMiddleware({
        security: { type: "query", name: "key" },
        input: z.object({ key: z.string().min(1) }),
        handler: ({ input }) => {
          if (!accepts(input.key)) throw createHttpError(401, "Unknown key");
        },
      })
      .build({ output: z.object({}), handler: () => ({}) });
  const check = (accepts: (key: string) => boolean) =>
    verify({ routing: { secrets: keyed(accepts) }, login: { keyQuery: () => "k" }, seed: 1 });
  const found = await check((key) => key === "k");
  expect(found.text).toContain("No failures");
  const { failures } = await check(() => true);
  expect(failures).toMatchObject([
    { check: "ignored_auth", request: { url: "/secrets?key=Z2FyYmFnZTpnYXJiYWdl" } },
  ]);
});
