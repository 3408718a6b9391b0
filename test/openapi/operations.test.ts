import {
  defaultEndpointsFactory as factory,
  Middleware,
  type Routing,
  type Security,
} from "sallyport";
import {
  generateOpenApi,
  OpenApiError,
  type OpenApiOptions,
  type OpenApiVersion,
} from "sallyport/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { findOperation, generate, generateOne } from "./generate.ts";
import { findOfficialErrors } from "./official-schemas.ts";

const handler = () => ({});
const plain = factory.build({ handler });

/** Returns the error thrown when the document of a routing is generated. */
const errorOf = (routing: Routing, options: Partial<OpenApiOptions> = {}): OpenApiError => {
  try {
    generate(routing, options);
  } catch (error) {
    if (error instanceof OpenApiError) return error;
    throw error;
  }
  throw new Error("Nothing was refused");
};

describe("operation ids", () => {
  const idsOf = (routing: Routing, options = {}): readonly unknown[] =>
    Object.values(generate(routing, options).paths)
      .flatMap((item) => Object.values(item))
      .map((operation) => (operation as { readonly operationId: string }).operationId);

  test("are derived from method and path, and stay unique", () => {
    expect(
      idsOf({
        "": plain,
        v1: { users: plain, ":id": { "get-it.now": plain }, "*rest": plain },
        "a-b": plain,
        "a/b": plain,
        ":from-:to": { x: plain },
      }),
    ).toEqual([
      ...["getRoot", "getV1Users", "getV1ByIdGetItNow", "getV1ByRest", "getAB", "getAB2"],
      "getByFromByToX",
    ]);
  });

  test("are those that endpoints declare, either as a string or as a function of the method", () => {
    const given = factory.build({ operationId: "getA", handler });
    const both = factory.build({
      method: ["put", "post"],
      operationId: (method) => `${method}It`,
      handler,
    });
    expect(idsOf({ a: plain, b: given, c: both })).toEqual(["getA2", "getA", "putIt", "postIt"]);
  });

  test("cause an error if two operations declare the same one", () => {
    const given = factory.build({ method: ["put", "post"], operationId: "same", handler });
    const error = errorOf({ a: given });
    expect(error.message).toBe(
      'PUT /a and POST /a have the same operationId "same". Give each endpoint its own id; for an endpoint that serves several methods, use a function, as in operationId: (method) => `${method}User`.',
    );
    expect(error).toMatchObject({
      code: "SLP_OPENAPI_OPERATION_ID",
      cause: { method: "post", path: "/a" },
    });
  });
});

describe("paths", () => {
  test("have their parameters in braces, and their literals percent-encoded", () => {
    const routing = {
      "a b": plain,
      "{x}": plain,
      é: plain,
      ":from-:to.json": plain,
      "*rest": plain,
    };
    const { "{x}": _reserved, ...legal } = routing;
    expect(Object.keys(generate(legal).paths)).toEqual([
      ...["/a%20b", "/%C3%A9", "/{from}-{to}.json", "/{rest}"],
    ]);
  });

  test("that differ only in parameter names cause an error", () => {
    const error = errorOf({ users: { "get :id": plain, "put :key": factory.build({ handler }) } });
    expect(error.message).toBe(
      "GET /users/:id and PUT /users/:key are the same path in OpenAPI, because only the names of their parameters differ. Give the parameters the same names, or add literal text to one of the paths.",
    );
    expect(error.code).toBe("SLP_OPENAPI_PATHS");
    expect(errorOf({ files: { ":id": plain, "*rest": plain } }).code).toBe("SLP_OPENAPI_PATHS");
  });
});

describe("a security requirement", () => {
  const securityOf = (...securities: readonly Security[]) => {
    let own: Pick<typeof factory, "addMiddleware" | "build"> = factory;
    for (const security of securities)
      own = own.addMiddleware(new Middleware({ security, handler })) as never;
    const document = generate({ a: own.build({ scope: ["read", "write"], handler }) });
    const { security: requirements } = findOperation(document, "GET /a");
    return [requirements, document.components?.["securitySchemes"]];
  };
  const flows = { implicit: { authorizationUrl: "https://a.b/c", scopes: { read: "Reads" } } };

  test.each<[string, Security, object, object]>([
    ["basic", { type: "basic" }, { basic: [] }, { type: "http", scheme: "basic" }],
    [
      "bearer",
      { type: "bearer", format: "JWT" },
      { bearer: [] },
      { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    ],
    [
      "header",
      { type: "header", name: "X-Key" },
      { xKeyHeader: [] },
      { type: "apiKey", in: "header", name: "X-Key" },
    ],
    [
      "cookie",
      { type: "cookie", name: "sid" },
      { sidCookie: [] },
      { type: "apiKey", in: "cookie", name: "sid" },
    ],
    [
      "query",
      { type: "query", name: "key" },
      { keyQuery: [] },
      { type: "apiKey", in: "query", name: "key" },
    ],
    [
      "input",
      { type: "input", name: "key" },
      { keyInput: [] },
      { type: "apiKey", in: "query", name: "key" },
    ],
    [
      "openid",
      { type: "openid", url: "https://a.b" },
      { openid: ["read", "write"] },
      { type: "openIdConnect", openIdConnectUrl: "https://a.b" },
    ],
    ["oauth2", { type: "oauth2", flows }, { oauth2: ["read", "write"] }, { type: "oauth2", flows }],
  ])("of type %s is described", (_name, security, requirement, scheme) => {
    const [requirements, schemes] = securityOf(security);
    expect(requirements).toEqual([requirement]);
    expect(Object.values(schemes as object)).toEqual([scheme]);
  });

  test("of type input is described as a body field if the route has a body", () => {
    const own = factory.addMiddleware(
      new Middleware({ security: { type: "input", name: "key" }, handler }),
    );
    const { components } = generate({ "post /a": own.build({ handler }) });
    expect(components?.["securitySchemes"]?.["keyInput"]).toHaveProperty(
      "x-in-alternative",
      "body",
    );
  });

  test("combines the requirements of several middlewares, and turns their trees into alternatives", () => {
    const [a, b, c]: Security[] = ["a", "b", "c"].map(
      (name) => ({ type: "cookie", name }) as const,
    );
    expect(securityOf(a as Security, b as Security)[0]).toEqual([{ aCookie: [], bCookie: [] }]);
    const tree = { and: [a, { or: [b, c] }] } as Security;
    expect(securityOf(tree)[0]).toEqual([
      { aCookie: [], bCookie: [] },
      { aCookie: [], cCookie: [] },
    ]);
    expect(securityOf({ or: [a, b] } as Security, c as Security)[0]).toEqual([
      { aCookie: [], cCookie: [] },
      { bCookie: [], cCookie: [] },
    ]);
  });

  test("has a different name for each variant of a type", () => {
    const or = [{ type: "bearer" }, { type: "bearer", format: "JWT" }] as const;
    expect(securityOf({ or })[0]).toEqual([{ bearer: [] }, { bearer2: [] }]);
  });
});

test("operations without security are marked as public, one by one or all at once", () => {
  const guard = new Middleware({ security: { type: "basic" }, handler });
  const guarded = factory.addMiddleware(guard).build({ handler });
  const document = generate({ a: plain, b: guarded }, { head: true });
  expect(document.paths).toMatchObject({
    "/a": { get: { security: [] }, head: { security: [] } },
    "/b": { get: { security: [{ basic: [] }] } },
  });
  expect(document).not.toHaveProperty("security");
  const open = generate({ a: plain });
  expect(open["security"]).toEqual([]);
  expect(findOperation(open, "GET /a")).not.toHaveProperty("security");
});

test("operations have the descriptions of their endpoints", () => {
  const endpoint = factory
    .build({ shortDescription: "Short", description: "**Long**", tag: ["a", "b"], handler })
    .deprecated();
  expect(generateOne("GET /a", { a: endpoint })).toMatchObject({
    summary: "Short",
    description: "**Long**",
    tags: ["a", "b"],
    deprecated: true,
  });
});

test.each([
  ["Reads a user. Nobody else's.", "Reads a user"],
  ["Reads a user, e.g. Ada!\n\nMore", "Reads a user, e.g. Ada!"],
  ["Reads a user\nby its id v1.2\n\n- slowly", "Reads a user by its id v1.2"],
  ["## Users\n\nReads one.", "Users"],
])("the summary is taken from the first sentence of a description: %j", (description, summary) => {
  const endpoint = factory.build({ description, handler });
  expect(generateOne("GET /a", { a: endpoint })).toMatchObject({ summary, description });
});

test("described tags are listed first, then the other tags in use", () => {
  const endpoint = factory.build({ tag: ["other", "users"], handler });
  const tags = { users: "Who", files: { description: "What", url: "https://a.b" } };
  expect(generate({ a: endpoint }, { tags })["tags"]).toEqual([
    { name: "users", description: "Who" },
    { name: "files", description: "What", externalDocs: { url: "https://a.b" } },
    { name: "other" },
  ]);
  expect(generate({ a: plain })).not.toHaveProperty("tags");
});

test("servers are URLs or objects", () => {
  const serversOf = (servers: OpenApiOptions["servers"]) =>
    generate({ a: plain }, { servers }).servers;
  expect(serversOf(undefined)).toEqual([{ url: "/" }]);
  expect(serversOf("https://a.b")).toEqual([{ url: "https://a.b" }]);
  expect(serversOf(["/v1", { url: "/v2", description: "New" }])).toEqual([
    { url: "/v1" },
    { url: "/v2", description: "New" },
  ]);
});

test("HEAD operations are omitted unless the options include them", () => {
  const endpoint = factory.build({ input: z.object({ a: z.string() }), handler });
  const routing = { a: endpoint, "post /b": plain };
  expect(Object.keys(generate(routing).paths["/a"] ?? {})).toEqual(["get"]);
  const document = generate(routing, { head: true });
  expect(Object.keys(document.paths["/b"] ?? {})).toEqual(["post"]);
  const head = findOperation(document, "HEAD /a");
  expect(head.operationId).toBe("headA");
  expect(head.parameters).toHaveLength(1);
  expect(head.responses).toEqual({
    200: { description: "OK" },
    400: { description: "Bad Request" },
    500: { description: "Internal Server Error" },
  });
});

test("webhooks are described as requests that the API sends, by an extension in OpenAPI 3.0", () => {
  const webhooks = {
    orderPaid: {
      input: z.object({ id: z.string() }).meta({ id: "Order" }),
      output: z.object({ ok: z.boolean() }),
      description: "Paid",
      tag: "orders",
    },
    ping: { method: "get" },
  } as const;
  const document = generate({ a: plain }, { webhooks });
  expect(document["webhooks"]).toMatchObject({
    orderPaid: {
      post: {
        operationId: "orderPaid",
        description: "Paid",
        tags: ["orders"],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } },
        },
        responses: { "2XX": { description: "Received", content: {} } },
      },
    },
    ping: { get: { responses: { "2XX": { description: "Received" } } } },
  });
  const old = generate({ a: plain }, { webhooks, openapi: "3.0" });
  expect(old).not.toHaveProperty("webhooks");
  expect(old).toHaveProperty("x-webhooks.orderPaid");
});

test("an override changes or replaces operations", () => {
  const override: OpenApiOptions["override"] = {
    operation: ({ method, path, operation, endpoint }) => {
      operation["x-at"] = `${method} ${path} ${String(endpoint.isVoid)}`;
      return path === "/b" ? { operationId: "b", responses: {} } : undefined;
    },
  };
  const { paths } = generate({ "a/:id": plain, b: plain }, { override, head: true });
  expect(paths["/a/{id}"]).toMatchObject({
    get: { "x-at": "get /a/:id false" },
    head: { "x-at": "head /a/:id false" },
  });
  expect(paths["/b"]?.["get"]).toEqual({ operationId: "b", responses: {} });
});

test("fields of `info` are kept if the OpenAPI version supports them", () => {
  const info = {
    title: "T",
    version: "1",
    summary: "S",
    license: { name: "MIT", identifier: "MIT" },
    contact: { name: "A" },
  };
  expect(generate({ a: plain }, { info }).info).toEqual(info);
  expect(generate({ a: plain }, { info, openapi: "3.0" }).info).toEqual({
    ...{ title: "T", version: "1", contact: { name: "A" } },
    license: { name: "MIT" },
  });
});

test.each<[string, unknown]>([
  ["`options` must be an object with routing, config, info, ", undefined],
  ["there is no option `rooting`. Did you mean `routing`?", { rooting: {} }],
  ["`info` must be an object with a `title` and a `version`", { routing: {} }],
  [
    "`info` must be an object with a `title` and a `version`",
    { routing: {}, info: { title: "A" } },
  ],
  [
    '`openapi` must be one of "3.0", "3.1", "3.2"; got "3.3"',
    { routing: {}, info: { title: "", version: "" }, openapi: "3.3" },
  ],
])("options are validated: %s", (message, options) => {
  expect(() => generateOpenApi(options as OpenApiOptions)).toThrow(`generateOpenApi: ${message}`);
});

describe.each<[OpenApiVersion, string]>([
  ["3.0", "x-query"],
  ["3.1", "x-query"],
  ["3.2", "query"],
])("QUERY in OpenAPI %s is the field %s of its path", (openapi, field) => {
  const search = factory.build({
    method: ["get", "query"],
    tag: "search",
    input: z.object({ text: z.string().nullable().optional() }).meta({ id: "Search" }),
    output: z.object({ found: z.int() }),
    version: () => "1",
    handler: () => ({ found: 0 }),
  });
  const options = { openapi, webhooks: { asked: { method: "query", output: z.any() } } } as const;
  const document = generate({ search }, options);
  const at = (path: string) => findOperation(document, `${field} ${path}`);

  test("and the document is valid", () => {
    expect(findOfficialErrors(document, openapi)).toEqual([]);
    expect(Object.keys(document.paths["/search"] as object)).toEqual(["get", field]);
    expect(document.tags).toEqual([{ name: "search" }]);
    const webhooks = (openapi === "3.0" ? "x-webhooks" : "webhooks") as "webhooks";
    expect(document[webhooks]).toHaveProperty(`asked.${field}.operationId`, "asked");
  });

  test("with a required body, and the conditions and statuses of a read", () => {
    const { operationId, requestBody, parameters, responses } = at("/search");
    expect(operationId).toBe("querySearch");
    expect(requestBody).toMatchObject({
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/Search" } } },
    });
    const fields = ["if-none-match", "if-modified-since"];
    expect(parameters?.map(({ name }) => name)).toEqual(fields);
    expect(Object.keys(responses)).toEqual(["200", "304", "400", "413", "415", "500"]);
  });

  test("whose schemas are in the dialect of the version", () => {
    const text = openapi === "3.0" ? { nullable: true } : { type: ["string", "null"] };
    const { schemas } = document.components as { schemas: Record<string, object> };
    expect(schemas["Search"]).toMatchObject({ properties: { text } });
    expect(JSON.stringify(at("/search").parameters)).toContain("string");
  });

  test("which `override.operation` receives as `query`", () => {
    const seen: string[] = [];
    const operation = ({ method }: { readonly method: string }) => void seen.push(method);
    generate({ search }, { openapi, override: { operation } });
    expect(seen).toEqual(["get", "query"]);
  });
});

describe("The note of a deprecated operation links to", () => {
  const deprecated = (replacement: string) => ({ since: "2026-01-31", replacement });
  const build = (replacement: string) =>
    factory.build({ deprecated: deprecated(replacement), handler: () => ({}) });
  const next = factory.build({ tag: "new users", handler: () => ({}) });
  const routing: Routing = {
    "get /v2/users": next,
    "post /v2/users": next,
    "get /v2/users/:userId": factory.build({ operationId: "(read)", handler: () => ({}) }),
    "get /v2/files/*rest": factory.build({ operationId: "readFile", handler: () => ({}) }),
  };

  test.each([
    ["an operation", "/v2/users", "[/v2/users](#/new%20users/getV2Users)"],
    ["one with other names", "/v2/users/:id", "[/v2/users/:id](#/default/%28read%29)"],
    ["one with a wildcard", "/v2/files/*rest", String.raw`[/v2/files/\*rest](#/default/readFile)`],
    ["a URL", "https://a.example/b(c)", "[https://a.example/b(c)](https://a.example/b%28c%29)"],
    ["nothing if it is elsewhere", "/v3/users", "/v3/users"],
  ])("%s", (_name, replacement, link) => {
    const document = generate({ ...routing, "get /old/:id": build(replacement) });
    expect(findOperation(document, "GET /old/{id}")).toHaveProperty(
      "description",
      `Deprecated since 2026-01-31. Replaced by ${link}.`,
    );
  });

  test("the operation with the same method", () => {
    const document = generate({ ...routing, "post /old": build("/v2/users") });
    expect(findOperation(document, "POST /old")).toHaveProperty(
      "description",
      expect.stringContaining("(#/new%20users/postV2Users)"),
    );
  });
});
