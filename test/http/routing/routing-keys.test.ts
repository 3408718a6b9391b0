import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createServer,
  defaultEndpointsFactory as factory,
  Middleware,
  RoutingError,
  ServeStatic,
  type Method,
  type Routing,
} from "sallyport";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type TestServer } from "../harness.ts";

/** Creates an endpoint that returns its name. */
const named = (name: string, method?: Method | Method[]) =>
  factory.build({ method, handler: async () => ({ name }) });

/** An endpoint that returns its input. */
const echo = factory.build({
  input: z.looseObject({}),
  handler: async ({ input }) => ({ ...input }),
});

/** Requests a path, and returns the data of a success or the status and message of an error. */
const ask = async (server: TestServer, target: string, method = "GET") => {
  const answer = await server.send(target, { method });
  const body = answer.json() as { data?: unknown; error?: { message: string } };
  return answer.status === 200 ? body.data : `${answer.status} ${body.error?.message ?? ""}`;
};

const notFound = "404 Not Found";
const notAllowed = "405 Method Not Allowed";
const is = (name: string) => ({ name });

/** Returns the error with which a server rejects the given routing at startup. */
const refusal = async (routing: unknown): Promise<unknown> =>
  start(routing as Routing).then(
    () => "it started",
    (error: unknown) => error,
  );

describe("key forms in a routing map", () => {
  test("<segment> with a nested object: segments are joined with /", async () => {
    const server = await start({ v1: { users: { active: named("active") } } });
    expect(await ask(server, "/v1/users/active")).toEqual(is("active"));
    expect(await ask(server, "/v1/users")).toBe(notFound);
    expect(await ask(server, "/v1")).toBe(notFound);
    expect(await ask(server, "/active")).toBe(notFound);
  });

  test.each(["get", "post", "put", "patch", "delete"] as const)(
    "<segment> with an endpoint: the route uses the declared method %s",
    async (method) => {
      const server = await start({ thing: named("thing", method) });
      expect(await ask(server, "/thing", method.toUpperCase())).toEqual(is("thing"));
      const other = method === "put" ? "PATCH" : "PUT";
      expect(await ask(server, "/thing", other)).toBe(notAllowed);
    },
  );

  test("an endpoint without a method at a plain key serves GET only", async () => {
    const server = await start({ thing: named("thing") });
    expect(await ask(server, "/thing")).toEqual(is("thing"));
    expect(await ask(server, "/thing", "POST")).toBe(notAllowed);
  });

  test.each(["/a/b", "a/b"])("%s: one key may have a path of several segments", async (key) => {
    const server = await start({ [key]: named("ab"), x: { [key]: named("xab") } });
    expect(await ask(server, "/a/b")).toEqual(is("ab"));
    expect(await ask(server, "/x/a/b")).toEqual(is("xab"));
    expect(await ask(server, "/a")).toBe(notFound);
  });

  test(":<name>: a path parameter is added to the input under its name", async () => {
    const server = await start({ users: { ":id": { posts: { ":post": echo } } } });
    expect(await ask(server, "/users/7/posts/9?q=1")).toEqual({ id: "7", post: "9", q: "1" });
    expect(await ask(server, "/users/7/posts")).toBe(notFound);
    expect(await ask(server, "/users//posts/9")).toBe(notFound);
  });

  test(":<name>: its value is decoded once, and %2F stays inside its segment", async () => {
    const server = await start({ users: { ":id": echo } });
    expect(await ask(server, "/users/J%C3%BCrgen%20%2541")).toEqual({ id: "Jürgen %41" });
    expect(await ask(server, "/users/a%2Fb")).toEqual({ id: "a/b" });
  });

  test("get, post, put, patch and delete in a nested object are methods of its path", async () => {
    const methods = ["get", "post", "put", "patch", "delete"] as const;
    const things = Object.fromEntries(methods.map((method) => [method, named(method)]));
    const server = await start({ v1: { things } });
    for (const method of methods)
      expect(await ask(server, "/v1/things", method.toUpperCase())).toEqual(is(method));
    expect(await ask(server, "/v1/things/get")).toBe(notFound);
  });

  test("<method> /<path>: the key names the method and the path", async () => {
    const server = await start({
      "post /a/b": named("posted"),
      v1: { "delete /users/:id": echo, "get a": named("got") },
    });
    expect(await ask(server, "/a/b", "POST")).toEqual(is("posted"));
    expect(await ask(server, "/a/b")).toBe(notAllowed);
    expect(await ask(server, "/v1/users/3", "DELETE")).toEqual({ id: "3" });
    expect(await ask(server, "/v1/a")).toEqual(is("got"));
  });

  test("<endpoint>.nest(map): the endpoint is served at its own path, and the entries below it", async () => {
    const users = named("users").nest({
      ":id": echo,
      post: named("created"),
      deep: { er: named("deeper") },
    });
    const server = await start({ v1: { users } });
    expect(await ask(server, "/v1/users")).toEqual(is("users"));
    expect(await ask(server, "/v1/users/5")).toEqual({ id: "5" });
    expect(await ask(server, "/v1/users", "POST")).toEqual(is("created"));
    expect(await ask(server, "/v1/users/deep/er")).toEqual(is("deeper"));
  });

  test("<endpoint>.nest(map): the endpoint itself takes precedence over an empty key of the map", async () => {
    const nested = factory.build({ handler: () => ({ from: "map" }) });
    const own = factory.build({ handler: () => ({ from: "endpoint" }) });
    const server = await start({ a: own.nest({ "": nested, b: nested }) });
    expect((await server.send("/a")).json()).toEqual(successEnvelope({ from: "endpoint" }));
    expect((await server.send("/a/b")).json()).toEqual(successEnvelope({ from: "map" }));
  });

  test("the same map in two places is not a cycle", async () => {
    const shared = { b: factory.build({ handler: () => ({}) }) };
    const server = await start({ one: { x: shared, y: shared }, two: shared });
    for (const path of ["/one/x/b", "/one/y/b", "/two/b"])
      expect((await server.send(path)).status).toBe(200);
  });

  test("a version prefix such as v1 has no special meaning", async () => {
    const server = await start({ v1: { a: named("one") }, v2: { a: named("two") } });
    expect(await ask(server, "/v1/a")).toEqual(is("one"));
    expect(await ask(server, "/v2/a")).toEqual(is("two"));
  });
});

describe("ServeStatic in a routing map", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sallyport-static-"));
    await mkdir(join(directory, "sub"));
    await writeFile(join(directory, "hello.txt"), "hello");
    await writeFile(join(directory, "index.html"), "<p>index</p>");
    await writeFile(join(directory, ".secret"), "secret");
  });
  afterAll(() => rm(directory, { recursive: true }));

  test("serves the directory under the path of its key", async () => {
    const server = await start({ v1: { public: new ServeStatic(directory) } });
    const answer = await server.send("/v1/public/hello.txt");
    expect(answer).toMatchObject({ status: 200, text: "hello" });
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    const head = await server.send("/v1/public/hello.txt", { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers["content-length"]).toBe("5");
    expect((await server.send("/v1/public/")).text).toBe("<p>index</p>");
    expect(await ask(server, "/hello.txt")).toBe(notFound);
  });

  test("respects the options dotfiles: deny and index: false", async () => {
    const files = new ServeStatic(directory, { dotfiles: "deny", index: false });
    const server = await start({ public: files });
    expect(await ask(server, "/public/.secret")).toBe(notFound);
    expect(await ask(server, "/public/")).toBe(notFound);
    expect((await server.send("/public/hello.txt")).text).toBe("hello");
  });

  test("sends a 404 for a missing file, another method and a path outside the directory", async () => {
    const server = await start({ public: new ServeStatic(directory) });
    expect(await ask(server, "/public/absent.txt")).toBe(notFound);
    expect(await ask(server, "/public/hello.txt", "POST")).toBe(notFound);
    expect(await ask(server, "/publichello.txt")).toBe(notFound);
    expect(await ask(server, "/PUBLIC/hello.txt")).toBe(notFound);
    expect(await ask(server, "/public/../public/hello.txt")).toMatch(/^40[034] /);
  });

  test("may be at the root, next to endpoints", async () => {
    const server = await start({ "/": new ServeStatic(directory), api: named("api") });
    expect((await server.send("/hello.txt")).text).toBe("hello");
    expect(await ask(server, "/api")).toEqual(is("api"));
  });

  test("may have a key that clients percent-encode, as endpoints may", async () => {
    const server = await start({ "my files": new ServeStatic(directory) });
    const answer = await server.send("/my%20files/hello.txt");
    expect([answer.status, answer.text]).toEqual([200, "hello"]);
  });

  test("R16: sends files with nosniff", async () => {
    const server = await start({ public: new ServeStatic(directory) });
    const { headers } = await server.send("/public/hello.txt");
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });
});

describe("how keys are read", () => {
  test.each([
    ["///a//b///", "/a/b"],
    [" sp ", "/sp"],
    [" / a / b / ", "/a/b"],
    ["größe", "/gr%C3%B6%C3%9Fe"],
    ["two words", "/two%20words"],
    ["head", "/head"],
    ["options", "/options"],
    ["getter", "/getter"],
  ])("the key %j serves %s", async (key, path) => {
    expect(await ask(await start({ [key]: named("it") }), path)).toEqual(is("it"));
  });

  test("the number of spaces and slashes in an explicit key does not matter", async () => {
    const server = await start({ "get   a": named("a"), " post ///x// ": named("x") });
    expect(await ask(server, "/a")).toEqual(is("a"));
    expect(await ask(server, "/x", "POST")).toEqual(is("x"));
  });

  test("an empty key and the key / stand for the path so far, which is the root at the top level", async () => {
    const server = await start({ "": named("root"), users: { "/": named("users") } });
    expect(await ask(server, "/")).toEqual(is("root"));
    expect(await ask(server, "/users")).toEqual(is("users"));
    const other = await start({ get: named("got"), post: named("posted") });
    expect(await ask(other, "/?x=1")).toEqual(is("got"));
    expect(await ask(other, "/", "POST")).toEqual(is("posted"));
  });

  test('a method name whose value is a map is a segment; with `methodLikeRouteBehavior: "path"`, so is every method name', async () => {
    const server = await start({ get: { deep: named("deep") } });
    expect(await ask(server, "/get/deep")).toEqual(is("deep"));
    const byPath = await start(
      { user: { get: named("segment") } },
      { methodLikeRouteBehavior: "path" },
    );
    expect(await ask(byPath, "/user/get")).toEqual(is("segment"));
    expect(await ask(byPath, "/user")).toBe(notFound);
  });

  test("several parameters in one segment", async () => {
    const server = await start({ "trips/:from-:to": echo, "files/:name.:ext": echo });
    expect(await ask(server, "/trips/bern-rome")).toEqual({ from: "bern", to: "rome" });
    expect(await ask(server, "/files/a.txt")).toEqual({ name: "a", ext: "txt" });
    expect(await ask(server, "/trips/bern")).toBe(notFound);
    expect(await ask(server, "/trips/-rome")).toBe(notFound);
  });

  test("`*name` at the end of a path matches the rest of the path", async () => {
    const server = await start({ docs: { "*rest": echo, intro: named("intro") } });
    expect(await ask(server, "/docs/a/b%20c")).toEqual({ rest: ["a", "b c"] });
    expect(await ask(server, "/docs/intro")).toEqual(is("intro"));
    expect(await ask(server, "/docs/intro/more")).toEqual({ rest: ["intro", "more"] });
    expect(await ask(server, "/docs")).toBe(notFound);
  });

  test("one endpoint serves several methods and several paths", async () => {
    const both = named("both", ["get", "post"]);
    const server = await start({ a: both, "b/c": both, d: { post: both } });
    for (const path of ["/a", "/b/c"])
      for (const method of ["GET", "POST"])
        expect(await ask(server, path, method)).toEqual(is("both"));
    expect(await ask(server, "/d", "POST")).toEqual(is("both"));
    expect(await ask(server, "/d")).toBe(notAllowed);
  });

  test(".deprecated() returns a flagged copy that works like the original", async () => {
    const original = named("old", "post");
    const copy = original.deprecated();
    expect([original.isDeprecated, copy.isDeprecated]).toEqual([false, true]);
    const server = await start({ old: copy });
    expect(await ask(server, "/old", "POST")).toEqual(is("old"));
    expect(await ask(server, "/old")).toBe(notAllowed);
  });

  test("a literal takes precedence over a parameter, whatever their order", async () => {
    const server = await start({ users: { ":id": echo, me: named("me") } });
    expect(await ask(server, "/users/me")).toEqual(is("me"));
    expect(await ask(server, "/users/you")).toEqual({ id: "you" });
  });

  test("a sibling with a parameter is used if the literal path lacks the method", async () => {
    const server = await start({ users: { me: { get: named("me") }, ":id": { delete: echo } } });
    expect(await ask(server, "/users/me")).toEqual(is("me"));
    expect(await ask(server, "/users/me", "DELETE")).toEqual({ id: "me" });
    expect(await ask(server, "/users/me", "PUT")).toBe(notAllowed);
  });
});

describe("canonical paths", () => {
  test("a trailing slash is tolerated", async () => {
    const server = await start({ users: { list: named("list"), ":id": echo } });
    expect(await ask(server, "/users/list/")).toEqual(is("list"));
    expect(await ask(server, "/users/7/?a=b")).toEqual({ id: "7", a: "b" });
    expect(await ask(server, "/users//list")).toBe(notFound);
  });

  test("paths are case-sensitive", async () => {
    const server = await start({ Users: named("upper"), users: named("lower") });
    expect(await ask(server, "/Users")).toEqual(is("upper"));
    expect(await ask(server, "/users")).toEqual(is("lower"));
    expect(await ask(server, "/USERS")).toBe(notFound);
  });
});

describe("a wrong routing map is rejected with a RoutingError that names the path", () => {
  const get = named("get");
  const cyclic: Record<string, unknown> = {};
  cyclic["again"] = cyclic;

  const mixed = named("mixed", ["get", "post"]);
  const files = new ServeStatic(".");
  test.each<[string, string, unknown, string]>([
    ["undefined", "LEAF", { v1: { a: undefined } }, "/v1/a"],
    ["null", "LEAF", { v1: { a: null } }, "/v1/a"],
    ["a string", "LEAF", { v1: { a: "b" } }, "/v1/a"],
    ["a number", "LEAF", { v1: { a: 1 } }, "/v1/a"],
    ["true", "LEAF", { v1: { a: true } }, "/v1/a"],
    ["a function", "LEAF", { v1: { a: () => get } }, "/v1/a"],
    ["an array", "LEAF", { v1: { a: [get] } }, "/v1/a"],
    ["a middleware", "LEAF", { a: new Middleware({ handler: () => ({}) }) }, "/a"],
    ["undefined under a method", "LEAF", { v1: { get: undefined } }, "/v1/get"],
    ["undefined as the whole map", "LEAF", undefined, "/"],
    ["a map inside itself", "CYCLE", { v1: cyclic }, "/v1/again"],
    ["GET /x", "METHOD_CASE", { v1: { "GET /x": get } }, "/v1"],
    ["Post /x", "METHOD_CASE", { v1: { "Post /x": get } }, "/v1"],
    ["gett /x", "METHOD_UNKNOWN", { v1: { "gett /x": get } }, "/v1"],
    ["head-like /x", "METHOD_UNKNOWN", { v1: { "fetch /x": get } }, "/v1"],
    ["GET: endpoint", "METHOD_CASE", { v1: { GET: get } }, "/v1"],
    ["get a: a map", "EXPLICIT_METHOD_VALUE", { v1: { "get a": { b: get } } }, "/v1/a"],
    ["get a: an empty map", "EXPLICIT_METHOD_VALUE", { v1: { "get a": {} } }, "/v1/a"],
    ["get a: static files", "EXPLICIT_METHOD_VALUE", { v1: { "get a": files } }, "/v1/a"],
    ["get a: undefined", "EXPLICIT_METHOD_VALUE", { v1: { "get a": undefined } }, "/v1/a"],
    ["post /x on GET", "METHOD_UNSUPPORTED", { "post /x": named("x", "get") }, "/x"],
    ["a method key that is not declared", "METHOD_UNSUPPORTED", { v1: { put: mixed } }, "/v1"],
    ["a duplicate", "DUPLICATE", { a: { b: get }, "/a/b": get }, "/a/b"],
    ["a duplicate through a method key", "DUPLICATE", { "get a": get, a: { get } }, "/a"],
    ["a duplicate through nest", "DUPLICATE", { a: get.nest({ get: mixed }) }, "/a"],
    ["/:id next to /:slug", "DUPLICATE", { a: { ":id": echo, ":slug": echo } }, "/a/:slug"],
    ["/*all next to /*rest", "DUPLICATE", { "a/*all": echo, "a/*rest": echo }, "/a/*rest"],
    ["an optional parameter", "PATH_SYNTAX", { a: { ":id?": echo } }, "/a/:id?"],
    ["a bare wildcard", "PATH_SYNTAX", { a: { "*": echo } }, "/a/*"],
    ["a wildcard before the end", "PATH_SYNTAX", { "a/*all/b": echo }, "/a/*all/b"],
    ["a parameter without a name", "PATH_SYNTAX", { "a/:": echo }, "/a/:"],
    ["a pattern", "PATH_SYNTAX", { "a/:id(\\d+)": echo }, "/a/:id(\\d+)"],
    ["a duplicate parameter", "PATH_SYNTAX", { ":id": { ":id": echo } }, "/:id/:id"],
    ["a lone surrogate", "PATH_SYNTAX", { "a\ud800": echo }, "/a\\ud800"],
    ["static files below a parameter", "PATH_SYNTAX", { ":id": files }, "/:id"],
  ])("%s: SLP_ROUTING_%s", async (_what, code, routing, path) => {
    const error = await refusal(routing);
    expect(error).toBeInstanceOf(RoutingError);
    expect(error).toMatchObject({ code: `SLP_ROUTING_${code}`, cause: { path } });
    expect((error as RoutingError).message).toContain(path);
  });

  test.each([
    [null, "null"],
    [undefined, "undefined"],
    [[], "[]"],
    [5, "5"],
    [new Date(0), "an object of class Date"],
  ])("the value %j is named in the error", async (value, name) => {
    const error = await refusal({ a: value });
    expect(error).toMatchObject({ message: expect.stringContaining(`is ${name};`) as string });
  });

  test("paths with different methods or different parameters are not duplicates", async () => {
    const routing = { a: { ":id": { get: echo } }, "post a/:slug": echo, "a/:from-:to": echo };
    const server = await start(routing);
    expect(await ask(server, "/a/1", "POST")).toEqual({ slug: "1" });
    expect(await ask(server, "/a/1")).toEqual({ id: "1" });
    expect(await ask(server, "/a/1-2")).toEqual({ from: "1", to: "2" });
  });
});

describe("a path parameter that the input schema lacks", () => {
  afterEach(() => vi.unstubAllEnvs());
  const lacking: Routing = { users: { ":id": named("user") } };

  test("causes a warning in development, naming the path and the parameter", async () => {
    const server = await start(lacking);
    const warnings = server.linesOf("warn");
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toContain(":id of /users/:id");
    expect(warnings[0]?.meta).toEqual({ method: "get", path: "/users/:id", parameter: "id" });
    const answer = await server.send("/users/7");
    expect([answer.status, answer.json()]).toEqual([200, successEnvelope(is("user"))]);
  });

  test("causes no warning in production", async () => {
    vi.stubEnv("NODE_ENV", "production");
    expect((await start(lacking)).linesOf("warn")).toEqual([]);
  });

  test("causes no warning if the endpoint or a middleware declares it", async () => {
    const id = z.object({ id: z.string() });
    const guarded = factory.addMiddleware({ input: id, handler: () => ({}) });
    const server = await start({
      a: { ":id": guarded.build({ handler: async () => ({}) }) },
      b: { ":id": factory.build({ input: id, handler: async () => ({}) }) },
      c: { ":id": echo },
    });
    expect(server.linesOf("warn")).toEqual([]);
  });

  test("does not compile if the routing is passed directly", async () => {
    const config = { cors: false, logger: { level: "silent" } } as const;
    const user = named("user");
    // @ts-expect-error -- the input schema lacks the path parameter "id"
    const { app } = await createServer(config, { users: { ":id": user } });
    expect(typeof app).toBe("function");
  });
});

test("an unknown path gets a 404 in the envelope", async () => {
  const server = await start({});
  const answer = await server.send("/any");
  expect([answer.status, answer.json()]).toEqual([404, errorEnvelope("Not Found")]);
});
