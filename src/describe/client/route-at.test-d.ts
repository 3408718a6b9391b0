import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  defaultEndpointsFactory as factory,
  type ErrorEnvelope,
  type Routing,
  type SuccessEnvelope,
} from "../../index.ts";
import { createClient } from "./index.ts";

const one = factory.build({
  input: z.object({ a: z.string() }),
  output: z.object({ ok: z.boolean() }),
  handler: async () => ({ ok: true }),
});
const other = factory.build({
  method: "post",
  output: z.object({ n: z.number() }),
  handler: async () => ({ n: 1 }),
});
type One = SuccessEnvelope<{ ok: boolean }> | ErrorEnvelope;
type Other = SuccessEnvelope<{ n: number }> | ErrorEnvelope;

const isDev: boolean = Math.random() > 2;
const here = { p: one, same: one };
const there = { q: other, same: { get: one, post: other } };
const forgotten: Routing = { x: one };
const routing = {
  ...(isDev ? { debug: one } : {}),
  ...(isDev && { "get /trace": one, methods: { get: one, post: other }, map: { ":id": one } }),
  literal: isDev ? { p: one } : { q: other },
  declared: isDev ? here : there,
  either: isDev ? one : other,
  sub: { forgotten },
} satisfies Routing;

/** Creates a client. It is never called, because only its types are checked. */
const client = () => createClient<typeof routing>({ baseUrl: "" });
const input = { a: "1" };

test("routes that a map may lack have their types", () => {
  const calls = () => [
    client().provide("get /debug", input),
    client().provide("get /trace", input),
    client().provide("get /methods", input),
    client().provide("get /map/:id", { ...input, id: "1" }),
    client().provide("get /literal/p", input),
    client().provide("get /declared/p", input),
    client().provide("get /declared/same", input),
    client().provide("get /either", input),
  ];
  expectTypeOf(calls).returns.toEqualTypeOf<Promise<One>[]>();
  const posts = () => [
    client().provide("post /methods"),
    client().provide("post /literal/q"),
    client().provide("post /declared/q"),
    client().provide("post /declared/same"),
    client().provide("post /either"),
  ];
  expectTypeOf(posts).returns.toEqualTypeOf<Promise<Other>[]>();
});

test("their inputs and methods are checked", () => {
  // @ts-expect-error -- the input has a required field
  void (() => client().provide("get /debug"));
  // @ts-expect-error -- no such field
  void (() => client().provide("get /literal/p", { zz: 1 }));
  // @ts-expect-error -- the endpoint serves GET
  void (() => client().provide("post /debug", input));
  // @ts-expect-error -- the endpoint serves POST
  void (() => client().provide("get /declared/q", input));
  // @ts-expect-error -- no such path
  void (() => client().provide("get /declared/none", input));
  // @ts-expect-error -- the route returns no pages
  void (() => client().iterate("get /debug", input));
});

test("a map declared `: Routing` has no routes", () => {
  // @ts-expect-error -- the map has lost its keys
  void (() => client().provide("get /sub/forgotten/x", { zz: 1 }));
  // @ts-expect-error -- the map has lost its keys
  void (() => client().request("get /sub/forgotten/deep/nonsense", { zz: 1 }));
  // @ts-expect-error -- the map has lost its keys
  void (() => client().subscribe("get /sub/forgotten/x"));
});

test("a key that names a method is no segment of a path", () => {
  const users = { get: one, "post /:id": other, "delete me": one, put: { x: one } };
  const nested = { users, "users/all": { get: one } } satisfies Routing;
  const named = () => createClient<typeof nested>({ baseUrl: "" });
  void (() => named().provide("get /users", input));
  void (() => named().provide("get /users/all", input));
  void (() => named().provide("post /users/:id", { id: "1" }));
  void (() => named().provide("delete /users/me", input));
  // the server reads a key with a slash, and one with a map, as segments
  void (() =>
    createClient<{ a: { "/get": typeof one } }>({ baseUrl: "" }).provide("get /a/get", input));
  void (() => named().provide("get /users/put/x", input));
  // @ts-expect-error -- `get` is the method
  void (() => named().provide("get /users/get", input));
  // @ts-expect-error -- `get` is the method
  void (() => named().provide("get /users/all/get", input));
  // @ts-expect-error -- `get` is the method
  void (() => named().request("get /users/all/get", input));
  // @ts-expect-error -- `post /:id` is a method and a path
  void (() => named().provide("get /users/post /:id", { id: "1" }));
  // @ts-expect-error -- `delete me` is a method and a path
  void (() => named().provide("get /users/delete me", input));
  const root = () => createClient<typeof users>({ baseUrl: "" });
  void (() => root().provide("get /", input));
  // @ts-expect-error -- `delete me` is a method and a path
  void (() => root().provide("get /delete me", input));
});
