import type { JsonObject } from "@sallyport/document";
import { expect, test } from "vitest";
import { asRequest, asResponse, compare, toLevel, withOperation } from "./lock-tools.ts";

const text: JsonObject = { type: "string" };
const whole: JsonObject = { type: "integer" };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

/** The levels of a pair of schemas in a request, and the other way round in a response. */
const judge = (before: JsonObject, after: JsonObject, schemas: JsonObject = {}) =>
  [
    toLevel(asRequest(before, schemas), asRequest(after, schemas)),
    toLevel(asResponse(after, schemas), asResponse(before, schemas)),
  ].join(" ");

test("what relied on an assumption that turned out to be wrong is no proof", () => {
  const to = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
  const schemas = {
    A: object({ c: to("C"), d: text }),
    B: object({ c: to("D"), d: whole }),
    C: object({ a: to("A") }),
    D: object({ a: to("B") }),
  };
  const before = object({ p: to("A"), q: to("C") });
  const after = object({ p: { anyOf: [to("B"), to("A")] }, q: to("D") });
  expect(judge(before, after, schemas)).toBe("breaking breaking");
});

test("what is not evaluated is no proof if what is evaluated differs", () => {
  const closed = { unevaluatedProperties: false };
  const [more, less] = [object({ a: text, b: text }, closed), object({ a: text }, closed)];
  expect(judge(more, less)).toBe("breaking breaking");
  const list = (...prefixItems: JsonObject[]): JsonObject => ({
    ...{ type: "array", prefixItems, unevaluatedItems: false },
  });
  expect(judge(list(text, text), list(text))).toBe("breaking breaking");
});

test("a pattern that JavaScript does not know is no proof", () => {
  const limited = { ...text, pattern: "(?P<a>x)[" };
  expect(judge({ enum: ["a"] }, limited)).toMatch(/^breaking/);
  expect(judge(limited, limited)).toBe("harmless harmless");
});

test("patterns of names are apart only as far as their letters are fixed", () => {
  const to = (patternProperties: JsonObject): JsonObject => ({
    ...{ type: "object", patternProperties, additionalProperties: false },
  });
  const before = to({ "^bc": text });
  expect(judge(before, to({ "^bc": text, "^a*": whole }))).toMatch(/^breaking/);
  expect(judge(before, to({ "^bc": text, "^a|^b": whole }))).toMatch(/^breaking/);
  expect(judge(before, to({ "^bc": text, "^ad+": whole }))).toMatch(/^harmless/);
});

test("a value that is refused is told although a property became read-only", () => {
  const rest = { additionalProperties: whole };
  const before = object({ a: text, r: text }, rest);
  const after = object({ r: { ...text, readOnly: true } }, rest);
  expect(toLevel(asRequest(before), asRequest(after))).toBe("breaking");
  const closed = { additionalProperties: false };
  const hidden = { r: { ...text, readOnly: true } };
  const inner = (r: JsonObject): JsonObject => asRequest(object({ p: object(r, closed) }));
  expect(toLevel(inner({ r: text }), inner(hidden))).toBe("harmless");
});

test("a success that only the default covered is compared with it", () => {
  const to = (schema: JsonObject): JsonObject => ({
    ...{ description: "OK", content: { "application/json": { schema } } },
  });
  const base = withOperation({ responses: { default: to(text) } });
  for (const responses of [{ 200: to(whole), default: to(text) }, { 200: to(whole) }])
    expect(toLevel(base, withOperation({ responses }))).toBe("breaking");
  const both = withOperation({ responses: { 200: to(text), default: to(text) } });
  expect(toLevel(base, both)).toBe("harmless");
});

test("the removal of a redirect is that of a success", () => {
  const to = (...codes: number[]): JsonObject =>
    withOperation({
      responses: Object.fromEntries(codes.map((code) => [code, { description: "x" }])),
    });
  expect(toLevel(to(200, 302), to(200))).toBe("breaking");
  expect(toLevel(to(200, 404), to(200))).toBe("harmless");
});

test("a parameter that must have several values is not one that may be repeated", () => {
  const query = (schema: JsonObject): JsonObject =>
    withOperation({ parameters: [{ name: "q", in: "query", schema }] });
  const to = (more: JsonObject): JsonObject => query({ type: "array", items: whole, ...more });
  expect(toLevel(query(whole), to({}))).toBe("harmless");
  for (const more of [
    { minItems: 2 },
    { maxItems: 0 },
    { contains: whole },
    { prefixItems: [text] },
  ])
    expect(toLevel(query(whole), to(more))).toBe("breaking");
});

test("a text takes the texts of a form only if it has no limits", () => {
  const form = (n: JsonObject): JsonObject =>
    withOperation({
      requestBody: {
        content: { "application/x-www-form-urlencoded": { schema: object({ n }) } },
      },
    });
  expect(toLevel(form(whole), form(text))).toBe("harmless");
  for (const more of [
    { enum: ["a", "b"] },
    { pattern: "^a" },
    { format: "date" },
    { minLength: 2 },
  ])
    expect(toLevel(form(whole), form({ ...text, ...more }))).toBe("breaking");
});

test("a value that is listed is known, with all its properties", () => {
  const listed: JsonObject = { enum: [{ a: 1 }] };
  expect(judge(listed, object({ a: { type: "integer", minimum: 2 } }))).toMatch(/^breaking/);
});

test("what is proved inside unions does not count where it is not", () => {
  const shared = (v: JsonObject) => object({ s: object({ x: object({ v }) }) });
  const [was, is] = [shared(text), shared({ ...text, maxLength: 5 })];
  const to = (z: JsonObject, ...variants: JsonObject[]): JsonObject => {
    const names = Array.from({ length: 25 }, (_, at) => `n${at + 10}`);
    const anyOf = [...variants, { type: "boolean" }];
    return object({ ...Object.fromEntries(names.map((name) => [name, { anyOf }])), z });
  };
  const changes = compare(asRequest(to(was, was)), asRequest(to(is, is, { type: "object" })));
  const paths = changes.filter(({ level }) => level === "breaking").map(({ path }) => path);
  expect(paths).toEqual(["POST /users request .z.s.x.v"]);
});

test("a limit that is infinite is none", () => {
  const limits = JSON.parse('{"maximum":1e999,"minimum":-1e999}') as JsonObject;
  expect(compare(asRequest(whole), asRequest({ ...whole, ...limits }))).toEqual([]);
});

test("paths that differ in the names of parameters alone are refused in one document", () => {
  const get = { get: { responses: { 200: { description: "OK" } } } };
  const both = { openapi: "3.1.0", paths: { "/a/{x}": get, "/a/{y}": get } };
  expect(() => compare(both, both)).toThrow("/a/{y}");
});

test("the removal of one of several flows is breaking", () => {
  const to = (...names: string[]): JsonObject =>
    withOperation(
      { security: [{ o: [] }] },
      {
        components: {
          securitySchemes: {
            o: {
              type: "oauth2",
              flows: Object.fromEntries(
                names.map((name) => [name, { tokenUrl: "/t", scopes: {} }]),
              ),
            },
          },
        },
      },
    );
  expect(toLevel(to("password", "clientCredentials"), to("password"))).toBe("breaking");
  expect(toLevel(to("password"), to("password", "clientCredentials"))).toBe("harmless");
});

test("servers of operations are compared", () => {
  const to = (...urls: string[]): JsonObject =>
    withOperation({ servers: urls.map((url) => ({ url })) });
  expect(toLevel(to("/a", "/b"), to("/a"))).toBe("warning");
});

test("a property is read-only only if each of its variants is", () => {
  const readOnly = { ...text, readOnly: true };
  const before = object({ a: { anyOf: [text, whole] } });
  const to = (...anyOf: JsonObject[]): JsonObject => object({ a: { anyOf } });
  expect(toLevel(asRequest(before), asRequest(to(readOnly, { type: "boolean" })))).toBe("breaking");
  expect(toLevel(asRequest(before), asRequest(to(readOnly)))).toBe("harmless");
});

test("operations beside a reference of a path are compared, too", () => {
  const { post } = (asRequest({ type: "string" }) as { readonly paths: JsonObject }).paths[
    "/users"
  ] as JsonObject;
  const to = (more: JsonObject): JsonObject => ({
    openapi: "3.1.0",
    info: { title: "Users", version: "1.0.0" },
    paths: { "/users": { $ref: "#/components/pathItems/Users", ...more } },
    components: { pathItems: { Users: { get: { responses: { 200: { description: "OK" } } } } } },
  });
  const changes = compare(to({ post: post ?? {} }), to({}));
  expect(changes.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
    "operation-removed POST /users",
  ]);
});
