import type { Routing } from "sallyport";
import { createClient, UnsendableInputError, type ClientOptions } from "sallyport/client";
import { expect, test } from "vitest";
import type { AnyClient } from "./round-trips.ts";

const circle: Record<string, unknown> = {};
circle["self"] = circle;
const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } };

/** Invalid inputs, each with a name, the route key, the input, the invalid field, the mistake and options for the client. */
type Case = readonly [string, string, object, string, string, Partial<ClientOptions>?];

const refusals: readonly Case[] = [
  ["a dot as a parameter", "get /a/:id", { id: "." }, "id", "is a path segment that URLs drop"],
  ["two dots as a parameter", "get /a/:id", { id: ".." }, "id", "is a path segment that URLs drop"],
  [
    "an empty parameter",
    "get /a/:id",
    { id: "" },
    "id",
    'is empty, or contains "", which would end the parameter',
  ],
  ["a missing parameter", "get /a/:id", {}, "id", "is missing from the path"],
  ["a parameter that is null", "get /a/:id", { id: null }, "id", "is missing from the path"],
  [
    "a separator in a parameter",
    "get /:a-:b",
    { a: "x-y", b: "z" },
    "a",
    'is empty, or contains "-", which would end the parameter',
  ],
  [
    "a wildcard that is not an array",
    "get /*rest",
    { rest: "a" },
    "rest",
    "is not an array of path segments",
  ],
  [
    "a dot in a wildcard",
    "get /*rest",
    { rest: ["a", ".."] },
    "rest[1]",
    "is a path segment that URLs drop",
  ],
  ["a lone surrogate as a parameter", "get /a/:id", { id: "\ud800" }, "id", "has a lone surrogate"],
  ["a lone surrogate in a wildcard", "get /*r", { r: ["\ud800"] }, "r[0]", "has a lone surrogate"],
  ["a lone surrogate in a path", "get /a/b\ud800", {}, "b\ud800", "has a lone surrogate"],
  ["a lone surrogate in a query", "get /a", { q: "\ud800" }, "q", "has a lone surrogate"],
  ["a lone surrogate in JSON", "post /a", { q: ["\udc00"] }, "q[0]", "has a lone surrogate"],
  [
    "a lone surrogate in a key",
    "post /a",
    { q: { "\ud800": 1 } },
    "q.\ud800",
    "has a lone surrogate",
  ],
  ["NaN in a query", "get /a", { q: Number.NaN }, "q", "is NaN"],
  ["Infinity in JSON", "post /a", { q: { n: -Infinity } }, "q.n", "is -Infinity"],
  [
    "__proto__",
    "post /a",
    { q: JSON.parse('{"__proto__":1}') as object },
    "q.__proto__",
    "has a name that APIs reject",
  ],
  ["a function", "post /a", { q: () => 1 }, "q", "is of type function"],
  ["a symbol", "post /a", { q: Symbol("s") }, "q", "is of type symbol"],
  ["a map", "post /a", { q: new Map() }, "q", "is of type map"],
  ["bytes in JSON", "post /a", { a: 1, q: new Uint8Array(1) }, "q", "is of type uint8array"],
  ["undefined in an array", "post /a", { q: [undefined] }, "q[0]", "is of type undefined"],
  // oxlint-disable-next-line no-sparse-arrays -- the hole is what this case tests
  ["a hole in an array", "post /a", { q: [1, , 2] }, "q[1]", "is of type undefined"],
  ["an invalid date", "post /a", { q: new Date(Number.NaN) }, "q", "is an invalid date"],
  ["an object in a query", "get /a", { q: { a: 1 } }, "q", "is of type object"],
  ["null in a query", "get /a", { q: null }, "q", "is of type null"],
  ["an empty array in a query", "get /a", { q: [] }, "q", "is empty; omit it"],
  ["an object next to a file", "post /a", { f: new Blob(["x"]), q: {} }, "q", "is of type object"],
  ["a file in an object", "post /a", { q: { f: new Blob(["x"]) } }, "q.f", "is of type blob"],
  [
    "a quote in the name of a form field",
    "post /a",
    { f: new Blob(["x"]), 'a"b': "c" },
    'a"b',
    "has a name that forms do not preserve",
  ],
  ["no bytes", "post /a", { raw: new Uint8Array() }, "raw", "is empty"],
  [
    "a line break in a header",
    "get /a",
    { "x-a": "b\nc" },
    "x-a",
    "is not printable ASCII",
    { inputSources: { get: ["headers"] } },
  ],
  [
    "a field that no source carries",
    "get /a/:id",
    { id: "1", q: "x" },
    "q",
    "has no source that could carry it",
    { inputSources: { get: ["params"] } },
  ],
  [
    "brackets under the extended parser",
    "get /a",
    { "a[b]": "x" },
    "a[b]",
    "has a name that the extended parser does not preserve",
    { queryParser: "extended" },
  ],
  [
    "21 elements under the extended parser",
    "get /a",
    { q: Array.from({ length: 21 }, () => "x") },
    "q",
    "exceeds the limits of the extended parser",
    { queryParser: "extended" },
  ],
  [
    "7 levels under the extended parser",
    "get /a",
    deep,
    "a.b.c.d.e.f",
    "exceeds the limits of the extended parser",
    { queryParser: "extended" },
  ],
  [
    "a circular structure",
    "post /a",
    circle,
    Array.from({ length: 201 }, () => "self").join("."),
    "contains itself",
  ],
];

test.each(refusals)("%s is rejected before anything is sent", async (...given) => {
  const [, key, input, field, reason, options = {}] = given as unknown as Case;
  let isSent = false;
  const client = createClient<Routing>({
    baseUrl: "http://127.0.0.1",
    fetch: async () => {
      isSent = true;
      return new Response();
    },
    ...options,
  });
  const [method = "", path = ""] = key.split(" ");
  const failed = (client as unknown as AnyClient).provide(key, input);
  await expect(failed).rejects.toBeInstanceOf(UnsendableInputError);
  await expect(failed).rejects.toMatchObject({
    code: "SLP_CLIENT_UNSENDABLE",
    field,
    method: method.toUpperCase(),
    path,
    message: `${method.toUpperCase()} ${path}: \`${field}\` ${reason}`,
  });
  expect(isSent).toBe(false);
});
