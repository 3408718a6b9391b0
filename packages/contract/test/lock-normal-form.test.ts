import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "@sallyport/document";
import { asRequest, asResponse, compare, listRules, withOperation } from "./lock-tools.ts";

const text: JsonObject = { type: "string" };
const user: JsonObject = {
  type: "object",
  properties: { name: text, age: { type: "integer" } },
  required: ["name", "age"],
};
const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const tree = (name: string): JsonObject => ({
  [name]: { type: "object", properties: { children: { type: "array", items: reference(name) } } },
});
const object = (more: JsonObject): JsonObject => ({ type: "object", ...more });
const query = (...names: string[]): JsonObject =>
  withOperation({ parameters: names.map((name) => ({ name, in: "query", schema: text })) });

const literals = (...values: readonly string[]): readonly JsonObject[] =>
  values.map((value) => ({ type: "string", const: value }));

const schemes = (securitySchemes: JsonObject): JsonObject => ({ components: { securitySchemes } });
const streaming = (media: JsonObject): JsonObject =>
  withOperation({ responses: { 200: { content: { "text/event-stream": media } } } });
const binary: JsonObject = { type: "string", format: "binary" };
const sendingVideo = (schema: Json): JsonObject =>
  withOperation({ responses: { 200: { content: { "video/mp4": { schema } } } } });

/** Pairs of documents between which nothing has changed for clients. */
const equals: readonly (readonly [string, JsonObject, JsonObject])[] = [
  [
    "a renamed component",
    asResponse(reference("User"), { User: user }),
    asResponse(reference("Person"), { Person: user }),
  ],
  [
    "a component instead of a schema in place",
    asResponse(reference("User"), { User: user }),
    asResponse(user),
  ],
  [
    "a renamed recursive component",
    asResponse(reference("Tree"), tree("Tree")),
    asResponse(reference("Node"), tree("Node")),
  ],
  [
    "a recursive component that is written out once",
    asResponse(reference("Tree"), tree("Tree")),
    asResponse(
      object({ properties: { children: { type: "array", items: reference("Tree") } } }),
      tree("Tree"),
    ),
  ],
  [
    "two components instead of one",
    asResponse({ type: "array", prefixItems: [reference("A"), reference("A")] }, { A: user }),
    asResponse(
      { type: "array", prefixItems: [reference("A"), reference("B")] },
      { A: user, B: user },
    ),
  ],
  [
    "a union of constants instead of a list of values",
    asRequest({ anyOf: [...literals("b", "a"), { type: "null" }] }),
    asRequest({ type: ["string", "null"], enum: ["a", "b", null] }),
  ],
  [
    "a list of null alone instead of the type",
    asResponse({ anyOf: [user, { enum: [null] }] }),
    asResponse({ ...user, type: ["object", "null"] }),
  ],
  [
    "two steps instead of the one that both make",
    asRequest({ type: "integer", allOf: [{ multipleOf: 4 }, { multipleOf: 6 }] }),
    asRequest({ type: "integer", multipleOf: 12 }),
  ],
  [
    "the larger of two steps that are fractions",
    asRequest({ type: "number", allOf: [{ multipleOf: 0.1 }, { multipleOf: 0.3 }] }),
    asRequest({ type: "number", multipleOf: 0.3 }),
  ],
  [
    "a full tuple without items of another type",
    asRequest({ type: "array", prefixItems: [text], maxItems: 1 }),
    asRequest({ type: "array", prefixItems: [text], maxItems: 1, items: { type: "number" } }),
  ],
  [
    "a reference to a reference",
    asResponse(reference("A"), { A: reference("B"), B: user }),
    asResponse(reference("B"), { B: user }),
  ],
  ["a component that nothing uses", asResponse(text, { User: user }), asResponse(text)],
  [
    "another order of properties",
    asResponse(user),
    asResponse({ ...user, properties: { age: { type: "integer" }, name: text } }),
  ],
  [
    "another order of required names",
    asRequest(user),
    asRequest({ ...user, required: ["age", "name"] }),
  ],
  [
    "another order of keywords",
    asRequest(user),
    asRequest(Object.fromEntries(Object.entries(user).toReversed())),
  ],
  ["another order of values", asRequest({ enum: ["a", "b"] }), asRequest({ enum: ["b", "a"] })],
  ["a value listed twice", asRequest({ enum: ["a", "b"] }), asRequest({ enum: ["a", "b", "a"] })],
  [
    "another order of types",
    asRequest({ type: ["string", "null"] }),
    asRequest({ type: ["null", "string"] }),
  ],
  [
    "another order of variants",
    asRequest({ oneOf: [user, text] }),
    asRequest({ oneOf: [text, user] }),
  ],
  [
    "another order of tags",
    withOperation({ tags: ["a", "b"] }),
    withOperation({ tags: ["b", "a"] }),
  ],
  ["another order of parameters", query("a", "b"), query("b", "a")],
  [
    "another order of credentials",
    withOperation({ security: [{ a: [], b: ["x", "y"] }, { c: [] }] }),
    withOperation({ security: [{ c: [] }, { b: ["y", "x"], a: [] }] }),
  ],
  [
    "another order of responses",
    withOperation({ responses: { 200: { description: "" }, 404: { description: "" } } }),
    withOperation({ responses: { 404: { description: "" }, 200: { description: "" } } }),
  ],
  [
    "another order of servers",
    withOperation({}, { servers: [{ url: "/a" }, { url: "/b" }] }),
    withOperation({}, { servers: [{ url: "/b" }, { url: "/a" }] }),
  ],
  [
    "other descriptions",
    asRequest({ ...text, description: "A name", examples: ["Ada"], title: "Name" }),
    asRequest({ ...text, description: "Their name" }),
  ],
  [
    "a renamed security scheme",
    withOperation({ security: [{ a: [] }] }, schemes({ a: { type: "http", scheme: "bearer" } })),
    withOperation({ security: [{ b: [] }] }, schemes({ b: { type: "http", scheme: "Bearer" } })),
  ],
  [
    "items of a stream before 3.2",
    streaming({ schema: text, "x-itemSchema": user }),
    { ...streaming({ itemSchema: user }), openapi: "3.2.0" },
  ],
  [
    "bytes before 3.1",
    { ...asResponse({ ...text, format: "binary" }), openapi: "3.0.3" },
    asResponse({ ...text, format: "binary", contentMediaType: "image/png" }),
  ],
  [
    "a value that is exploded, which only lists and objects are",
    withOperation({ parameters: [{ name: "a", in: "query", schema: text, explode: false }] }),
    query("a"),
  ],
  [
    "bytes with their media type",
    sendingVideo({ ...binary, contentMediaType: "video/mp4" }),
    sendingVideo(binary),
  ],
  [
    "bytes of a component",
    { ...sendingVideo(reference("Bytes")), components: { schemas: { Bytes: binary } } },
    sendingVideo(binary),
  ],
  [
    "security of the whole document",
    withOperation({ security: [{ a: [] }] }),
    withOperation({}, { security: [{ a: [] }] }),
  ],
  [
    "parameters of the path",
    withOperation({ parameters: [{ name: "a", in: "query", schema: text }] }),
    {
      ...withOperation({}),
      paths: {
        "/users": {
          parameters: [{ name: "a", in: "query", schema: text }],
          post: { responses: { 200: { description: "OK" } } },
        },
      },
    },
  ],
  [
    "allOf instead of one schema",
    asResponse(user),
    asResponse({
      allOf: [
        object({ properties: { name: text }, required: ["name"] }),
        object({ properties: { age: { type: "integer" } }, required: ["age"] }),
      ],
    }),
  ],
  [
    "required names beside allOf",
    asRequest(user),
    asRequest({
      allOf: [object({ properties: user["properties"] ?? {} })],
      required: ["name", "age"],
    }),
  ],
  ["a union of one variant", asRequest(user), asRequest({ oneOf: [user] })],
  [
    "a union with null",
    asRequest({ type: ["string", "null"] }),
    asRequest({ anyOf: [text, { type: "null" }] }),
  ],
  [
    "nullable of 3.0",
    asRequest({ type: ["string", "null"] }),
    { ...asRequest({ ...text, nullable: true }), openapi: "3.0.3" },
  ],
  [
    "a nullable reference of 3.0",
    asRequest({ oneOf: [reference("User"), { type: "null" }] }, { User: user }),
    {
      ...asRequest({ allOf: [reference("User")], nullable: true }, { User: user }),
      openapi: "3.0.3",
    },
  ],
  [
    "limits that exclude themselves in 3.0",
    asRequest({ type: "number", exclusiveMinimum: 3 }),
    { ...asRequest({ type: "number", minimum: 3, exclusiveMinimum: true }), openapi: "3.0.3" },
  ],
  ["a constant as the only value", asRequest({ const: "a" }), asRequest({ enum: ["a"] })],
  [
    "a union of types",
    asRequest({ anyOf: [text, { type: "number" }] }),
    asRequest({ type: ["number", "string"] }),
  ],
  ["limits of zero", asRequest({ ...text, minLength: 0 }), asRequest(text)],
  [
    "additional properties of any kind",
    asRequest(object({ additionalProperties: true })),
    asRequest(object({ additionalProperties: {} })),
  ],
  [
    "the default style of a parameter",
    query("a"),
    withOperation({
      parameters: [{ name: "a", in: "query", schema: text, style: "form", explode: true }],
    }),
  ],
  [
    "the case of a header's name",
    withOperation({ parameters: [{ name: "X-A", in: "header", schema: text }] }),
    withOperation({ parameters: [{ name: "x-a", in: "header", schema: text }] }),
  ],
  [
    "the case of a media type",
    withOperation({ requestBody: { content: { "Application/JSON": { schema: text } } } }),
    asRequest(text),
  ],
  [
    "a parameter, a body and a response as components",
    withOperation({
      parameters: [{ name: "a", in: "query", schema: text }],
      requestBody: { content: { "application/json": { schema: text } } },
    }),
    withOperation(
      {
        parameters: [{ $ref: "#/components/parameters/A" }],
        requestBody: { $ref: "#/components/requestBodies/Text" },
        responses: { 200: { $ref: "#/components/responses/Empty" } },
      },
      {
        components: {
          parameters: { A: { name: "a", in: "query", schema: text } },
          requestBodies: { Text: { content: { "application/json": { schema: text } } } },
          responses: { Empty: { description: "OK" } },
        },
      },
    ),
  ],
];

describe("what clients cannot notice is no change", () => {
  test.each(equals)("%s", (_name, base, head) => {
    expect(compare(base, head)).toEqual([]);
    expect(compare(head, base)).toEqual([]);
  });
});

describe("changes are found where they are", () => {
  test("in a recursive schema, once", () => {
    const wide = {
      Tree: object({
        properties: { children: { type: "array", items: reference("Tree") }, a: text },
      }),
    };
    expect(
      compare(asResponse(reference("Tree"), tree("Tree")), asResponse(reference("Tree"), wide)).map(
        ({ path }) => path,
      ),
    ).toEqual(["POST /users response 200 .a"]);
  });

  test("in a recursive schema that overrides the property that leads back", () => {
    const own = (more: JsonObject) =>
      asResponse(reference("Special"), {
        Node: object({ properties: { next: reference("Node"), name: text } }),
        Special: {
          allOf: [
            reference("Node"),
            object({ properties: { next: reference("Special"), size: more } }),
          ],
        },
      });
    expect(compare(own(text), own({ type: "number" })).map(({ path }) => path)).toContain(
      "POST /users response 200 .size",
    );
    expect(compare(own(text), own(text))).toEqual([]);
  });

  test("in a header in lower case that begins like an extension", () => {
    const own = (headers: JsonObject) =>
      withOperation({ responses: { 200: { description: "OK", headers } } });
    expect(listRules(own({ "x-total": { required: true, schema: text } }), own({}))).toEqual([
      "required-header-removed",
    ]);
  });

  test("in a property whose name all objects inherit", () => {
    const own = (properties: JsonObject) =>
      asRequest({ allOf: [user, object({ properties })], description: "A driver" });
    expect(listRules(own({}), own({ constructor: text }))).toEqual([
      "request-schema-property-added",
    ]);
  });

  test("within allOf, although it is merged", () => {
    const own = (more: JsonObject) =>
      asRequest({ allOf: [user, object({ properties: { name: more } })] });
    expect(listRules(own({}), own({ maxLength: 3 }))).toEqual(["request-schema-max-length-set"]);
  });

  test("in the variant that has the same constant", () => {
    const variant = (kind: string, more: JsonObject): JsonObject =>
      object({ properties: { kind: { const: kind }, value: more }, required: ["kind"] });
    const changes = compare(
      asRequest({ oneOf: [variant("a", text), variant("b", text)] }),
      asRequest({ oneOf: [variant("b", { type: "number" }), variant("a", text)] }),
    );
    expect(changes.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
      'request-schema-type-changed POST /users request (object with kind "b").value',
    ]);
  });

  test("a schema that becomes one of several variants accepts more", () => {
    expect(listRules(asRequest(user), asRequest({ anyOf: [user, text] }))).toEqual([
      "request-schema-variant-added",
    ]);
    expect(listRules(asResponse({ anyOf: [user, text] }), asResponse(user))).toEqual([
      "response-schema-variant-removed",
    ]);
  });

  test("read-only properties do not count in requests, nor write-only ones in responses", () => {
    const own = (key: string, type: string) =>
      object({ properties: { id: { type, [key]: true } } });
    const levels = (base: JsonObject, head: JsonObject) =>
      compare(base, head).map(({ level }) => level);
    expect(
      levels(asRequest(own("readOnly", "string")), asRequest(own("readOnly", "number"))),
    ).toEqual(["harmless"]);
    expect(
      levels(asResponse(own("readOnly", "string")), asResponse(own("readOnly", "number"))),
    ).toEqual(["breaking"]);
    expect(
      levels(asResponse(own("writeOnly", "string")), asResponse(own("writeOnly", "number"))),
    ).toEqual(["harmless"]);
  });

  test("what a webhook sends is judged as a response", () => {
    const own = (schema: JsonObject): JsonObject => ({
      openapi: "3.1.0",
      webhooks: {
        paid: { post: { requestBody: { content: { "application/json": { schema } } } } },
      },
    });
    expect(compare(own(user), own({ ...user, required: ["name"] }))).toMatchObject([
      {
        rule: "response-schema-property-became-optional",
        level: "breaking",
        path: "POST webhook paid request .age",
      },
    ]);
  });

  test("another kind of credentials under the same name", () => {
    const own = (scheme: JsonObject) =>
      withOperation({ security: [{ a: [] }] }, schemes({ a: scheme }));
    const base = own({ type: "http", scheme: "bearer" });
    expect(listRules(base, own({ type: "apiKey", in: "header", name: "X-Key" }))).toEqual([
      "security-alternative-removed",
      "security-alternative-added",
    ]);
  });

  test("a scope of OpenID Connect", () => {
    const own = (...scopes: string[]) =>
      withOperation(
        { security: [{ a: scopes }] },
        schemes({ a: { type: "openIdConnect", openIdConnectUrl: "https://example.com" } }),
      );
    expect(listRules(own("read"), own("read", "write"))).toEqual(["scope-added"]);
  });

  test("at each place, although schemas that refer to each other lead to them in many ways", () => {
    const layers = (leaf: JsonObject): JsonObject =>
      Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => {
          const inner = at === 29 ? leaf : reference(`L${at + 1}`);
          return [`L${at}`, object({ properties: { a: inner, b: inner } })];
        }),
      );
    const changes = compare(
      asResponse(reference("L0"), layers(text)),
      asResponse(reference("L0"), layers({ type: "number" })),
    );
    expect(new Set(changes.map(({ rule }) => rule))).toEqual(
      new Set(["response-schema-type-changed"]),
    );
    const flat = (type: string) => asResponse(object({ properties: { a: { type }, b: { type } } }));
    expect(compare(flat("string"), flat("number"))).toHaveLength(2);
  });

  describe("in schemas that list their children, which refer back to them,", () => {
    const child = (name: string, parent: string): JsonObject => ({
      allOf: [reference(parent), object({ properties: { [name]: text }, required: [name] })],
    });
    const list = (...names: readonly string[]): JsonObject => ({ oneOf: names.map(reference) });
    const parent = (properties: JsonObject, ...names: readonly string[]): JsonObject =>
      object({ properties, ...list(...names) });
    const shallow = (properties: JsonObject): JsonObject => ({
      Pet: parent(properties, "Cat", "Dog"),
      Cat: child("meows", "Pet"),
      Dog: child("barks", "Pet"),
    });
    const deep = (properties: JsonObject): JsonObject => ({
      Animal: parent(properties, "Pet", "Bird"),
      Bird: child("sings", "Animal"),
      Pet: { allOf: [reference("Animal")], ...list("Cat", "Dog") },
      Mammal: child("warm", "Pet"),
      Cat: child("meows", "Mammal"),
      Dog: child("barks", "Mammal"),
    });
    const serve = (schemas: JsonObject, ...names: readonly string[]): JsonObject => ({
      ...{ openapi: "3.0.3", info: { title: "Pets", version: "1.0.0" } },
      components: { schemas },
      paths: Object.fromEntries(
        names.map((name) => {
          const content = { "application/json": { schema: reference(name) } };
          return [`/${name}`, { get: { responses: { 200: { description: "OK", content } } } }];
        }),
      ),
    });

    test.each([
      ["shallow", shallow({ name: text }), ["Cat"], ["Pet"]],
      ["deep", deep({ name: text }), ["Cat", "Mammal", "Bird", "Pet"], ["Animal"]],
      ["deep", deep({ name: text }), ["Animal"], ["Mammal", "Dog"]],
    ] as const)("whichever is read first (%s)", (_name, schemas, added, kept) => {
      const base = serve(schemas, ...kept);
      const heads = [serve(schemas, ...added, ...kept), serve(schemas, ...kept, ...added)];
      for (const head of heads)
        expect(listRules(base, head)).toEqual(added.map(() => "operation-added"));
    });

    test.each([
      ["shallow", shallow, ["Pet", "Cat"]],
      ["deep", deep, ["Animal", "Bird", "Pet", "Mammal", "Cat"]],
    ] as const)("at each of them (%s)", (_name, schemas, names) => {
      for (const name of names) {
        const base = serve(schemas({ name: text }), name);
        const rules = listRules(base, serve(schemas({ name: { type: "number" } }), name));
        expect([name, ...new Set(rules)]).toEqual([name, "response-schema-type-changed"]);
      }
    });
  });

  test("text on the wire may become any text", () => {
    const own = (type: string) =>
      withOperation({ parameters: [{ name: "a", in: "query", schema: { type } }] });
    expect(listRules(own("number"), own("string"))).toEqual(["parameter-schema-type-widened"]);
    expect(listRules(own("string"), own("number"))).toEqual(["parameter-schema-type-narrowed"]);
  });
});

describe("documents that cannot be read", () => {
  test.each([
    ["version 2", { swagger: "2.0" }, "base is a document of Swagger 2.0. Convert it to OpenAPI 3"],
    ["no document", "text", "base is no OpenAPI document of version 3.0, 3.1 or 3.2."],
    ["a reference to nothing", asRequest(reference("Missing")), "leads nowhere"],
    ["a reference to itself", asRequest(reference("A"), { A: reference("A") }), "leads to itself"],
    [
      "a reference to another host",
      asRequest({ $ref: "https://example.com/a.json" }),
      "Bundle the document",
    ],
  ])("%s", (_name, document, message) => {
    expect(() => compare(document, document)).toThrow(message);
  });
});
