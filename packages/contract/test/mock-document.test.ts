import { request } from "node:http";
import { fileTypeFromBuffer } from "file-type";
import { afterEach, describe, expect, test } from "vitest";
import { toText } from "@sallyport/document";
import { listenDocument, mockDocument, type DocumentMockOptions } from "../src/index.ts";

const user = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "integer" },
    name: { type: "string", minLength: 3 },
    email: { type: "string", format: "email" },
    password: { type: "string", writeOnly: true },
  },
};
const content = (schema: object, more: object = {}) => ({
  content: { "application/json": { schema, ...more } },
});
const ok = (body: object, more: object = {}) => ({ 200: { description: "OK", ...body, ...more } });
const error = {
  type: "object",
  required: ["code", "message"],
  properties: { code: { type: "integer" }, message: { type: "string" } },
};
const bytes = { schema: { type: "string", format: "binary" } };

const document = {
  openapi: "3.1.0",
  info: { title: "Test", version: "1" },
  servers: [{ url: "https://{region}.example.com/v{version}/api" }],
  components: {
    schemas: { User: user },
    securitySchemes: {
      token: { type: "http", scheme: "bearer" },
      key: { type: "apiKey", in: "query", name: "key" },
    },
  },
  paths: {
    "/users": {
      get: {
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", maximum: 50 } },
          {
            name: "ids",
            in: "query",
            explode: false,
            schema: { type: "array", items: { type: "integer" } },
          },
          {
            name: "filter",
            in: "query",
            style: "deepObject",
            schema: { type: "object", properties: { age: { type: "integer" } } },
          },
          { name: "slow", in: "query", schema: { type: "string", pattern: "^(a+)+$" } },
          { name: "x-tenant", in: "header", schema: { type: "string", format: "uuid" } },
        ],
        responses: {
          ...ok(content({ type: "array", items: user })),
          422: { description: "Wrong", ...content(error) },
        },
      },
      post: {
        security: [{ token: [] }, { key: [] }],
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: { ...user, required: ["name"] } },
            "application/x-www-form-urlencoded": { schema: { ...user, required: ["name"] } },
            "multipart/form-data": {
              schema: {
                type: "object",
                required: ["picture"],
                properties: {
                  picture: { type: "string", format: "binary" },
                  age: { type: "integer" },
                },
              },
            },
          },
        },
        responses: {
          201: {
            description: "Created",
            ...content(user),
            headers: {
              Location: { required: true, schema: { type: "string" } },
              "X-Count": { schema: { type: "integer", minimum: 5, maximum: 5 } },
            },
          },
          409: {
            description: "Taken",
            ...content(error, {
              examples: { taken: { value: { code: 1, message: "Taken" } }, wrong: { value: {} } },
            }),
          },
          "5XX": { description: "Broken", ...content(error) },
        },
      },
    },
    "/users/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: {
        responses: ok(content(user)),
      },
      delete: { responses: { 204: { description: "Gone" } } },
    },
    "/users/me": {
      get: {
        responses: ok(
          content(user, {
            examples: {
              ada: { value: { id: 1, name: "Ada" } },
              grace: { value: { id: 2, name: "Grace" } },
              wrong: { value: { id: "x" } },
            },
          }),
        ),
      },
    },
    "/picture": {
      get: { responses: ok({ content: { "image/gif": bytes, "application/pdf": bytes } }) },
    },
    "/report": {
      get: {
        responses: ok({
          content: {
            "application/xml": { schema: user },
            "application/json": { schema: user },
            "text/csv": { schema: { type: "string" } },
          },
        }),
      },
    },
    "/events": { get: { responses: ok({ content: { "text/event-stream": { schema: user } } }) } },
  },
};

const mocks: { readonly close: () => Promise<void> }[] = [];
const start = async (options: Partial<DocumentMockOptions> = {}) => {
  const mock = await listenDocument({ document, port: 0, ...options });
  mocks.push(mock);
  return mock.url;
};
afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close();
});
const ask = async (path: string, init?: RequestInit, options?: Partial<DocumentMockOptions>) => {
  const response = await fetch(`${await start(options)}${path}`, init);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.endsWith("json") === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {},
  };
};
const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body: toText(body),
  headers: { "content-type": "application/json", authorization: "Bearer x", ...headers },
});

describe("a mock of a document", () => {
  test("sends what the schema allows, with the values of the input", async () => {
    const { status, body, headers } = await ask("/users/7");
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(body).toEqual({
      ...{ id: 7, name: expect.stringMatching(/.../) as string },
      email: expect.stringContaining("@") as string,
    });
  });

  test("sends the same for the same input and seed", async () => {
    const one = (await ask("/users/7")).text;
    expect((await ask("/users/7")).text).toBe(one);
    expect((await ask("/users/8")).text).not.toBe(one);
    expect((await ask("/users/7", {}, { seed: "other" })).text).not.toBe(one);
  });

  test("is below the paths of the servers, too, and prefers paths without parameters", async () => {
    expect((await ask("/v3/api/users/7")).body).toMatchObject({ id: 7 });
    expect((await ask("/users/me")).body).toEqual({ id: 1, name: "Ada" });
    expect((await ask("/v3/users/7")).status).toBe(404);
  });

  test("answers a path, a method or a media type that is not declared", async () => {
    const unknown = await ask("/nothing");
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([
      404,
      "application/problem+json",
    ]);
    const wrong = await ask("/users/7", { method: "PUT" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "DELETE, GET, HEAD, OPTIONS"]);
    expect((await ask("/users", post("<a/>", { "content-type": "text/xml" }))).status).toBe(415);
    expect((await ask("/users/7", { headers: { accept: "image/png" } })).status).toBe(406);
    expect((await ask("/users/%zz")).status).toBe(400);
  });

  test.for([
    ["limit=x", "query limit must be integer"],
    ["limit=51", "query limit must be at most 50"],
    ["ids=1,x", "query ids/1 must be integer"],
    ["filter[age]=old", "query filter/age must be integer"],
  ])("refuses the query %s as the document declares it", async ([query, message]) => {
    const { status, body } = await ask(`/users?${query}`);
    expect([status, body]).toEqual([422, { code: expect.any(Number) as number, message }]);
  });

  test("takes parameters in the declared styles", async () => {
    const query = "limit=5&ids=1,2&filter[age]=3";
    const headers = { "x-tenant": "0b5e1a36-7c1e-4a8e-9a60-3a6f2f1f4f10" };
    expect((await ask(`/users?${query}`, { headers })).status).toBe(200);
    expect((await ask("/users", { headers: { "x-tenant": "1" } })).status).toBe(422);
  });

  test("checks bodies", async () => {
    const wrong = await ask("/users", post({ name: "A" }));
    expect([wrong.status, wrong.body]).toEqual([
      400,
      expect.objectContaining({
        detail: "body /name must have at least 3 characters",
        errors: [{ in: "body", name: "/name", message: "must have at least 3 characters" }],
      }),
    ]);
    expect(wrong.headers.get("mock-problem")).toContain("/name");
    expect((await ask("/users", post("{"))).status).toBe(400);
    expect((await ask("/users", post(""))).body["detail"]).toBe("body must be there");
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await ask("/users", post("name=Linus&id=7", form))).body).toMatchObject({
      id: 7,
      name: "Linus",
    });
    expect((await ask("/users", post("name=Linus&id=x", form))).status).toBe(400);
  });

  test("is not kept busy by a pattern", async () => {
    const { status, body } = await ask(`/users?slow=${"a".repeat(60)}!`);
    expect([status, body["message"]]).toEqual([422, expect.stringContaining("takes too long")]);
  });

  test("checks forms with files", async () => {
    const send = async (fields: Readonly<Record<string, string | Blob>>) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      return (await ask("/users?key=1", { method: "POST", body })).status;
    };
    expect(await send({ picture: new Blob(["x"]), age: "7" })).toBe(201);
    expect(await send({ picture: new Blob(["x"]), age: "old" })).toBe(400);
    expect(await send({ age: "7" })).toBe(400);
  });

  test("asks for credentials, whatever they are", async () => {
    const refused = await ask("/users", post({ name: "Ada" }, { authorization: "Basic x" }));
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="mock", ApiKey realm="mock"',
    ]);
    expect((await ask("/users?key=1", post({ name: "Ada" }, { authorization: "" }))).status).toBe(
      201,
    );
  });

  test("sends the declared header fields, and nothing where nothing is declared", async () => {
    const { headers, body } = await ask("/users", post({ name: "Ada" }));
    const location = `/users/${toText(body["id"])}`;
    expect([headers.get("location"), headers.get("x-count")]).toEqual([location, "5"]);
    const { status, text } = await ask("/users/7", { method: "DELETE" });
    expect([status, text]).toEqual([204, ""]);
    const head = await fetch(`${await start()}/users/7`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("sends the media type that the client prefers", async () => {
    const read = async (accept: string) => {
      const { headers, text } = await ask("/report", { headers: { accept } });
      return [headers.get("content-type"), text];
    };
    expect(await read("*/*")).toEqual(["application/json", expect.stringMatching(/^\{"/)]);
    expect(await read("application/json;q=0.5, text/*")).toEqual([
      "text/csv; charset=utf-8",
      expect.stringMatching(/^id,name\n/),
    ]);
    expect(await read("application/xml")).toEqual([
      "application/xml",
      expect.stringMatching(/^<\?xml [^>]+>\n<response><id>\d+<\/id><name>/),
    ]);
  });

  test("sends files that are what they are said to be", async () => {
    const url = await start();
    for (const type of ["image/gif", "application/pdf"]) {
      const response = await fetch(`${url}/picture`, { headers: { accept: type } });
      const found = await fileTypeFromBuffer(new Uint8Array(await response.arrayBuffer()));
      expect([response.headers.get("content-type"), found?.mime]).toEqual([type, type]);
    }
  });

  test("sends a few events", async () => {
    const { headers, text } = await ask("/events");
    expect(headers.get("content-type")).toContain("text/event-stream");
    expect(text).toMatch(/^(?:id: \d\ndata: \{"id":\d+,.*\}\n\n){3}$/);
  });

  test("lets pages of all origins call, and send Prefer", async () => {
    const origin = "https://example.com";
    const preflight = await ask("/users", {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-own",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("x-own, Prefer");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    const { headers } = await ask("/users/7", { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
  });

  test("needs no port", async () => {
    const { fetch: send } = mockDocument({ document });
    const body = JSON.stringify({ name: "Linus" });
    const headers = { "content-type": "application/json", authorization: "Bearer x" };
    const response = await send("/users", { method: "POST", body, headers });
    expect([response.status, await response.json()]).toEqual([
      201,
      expect.objectContaining({ name: "Linus" }),
    ]);
    expect((await send("http://localhost/users/7", { method: "DELETE" })).status).toBe(204);
  });

  test("takes the URL that clients send to a proxy", async () => {
    const url = new URL(await start());
    const status = await new Promise((resolve, reject) => {
      const sent = request(
        { host: url.hostname, port: url.port, path: "http://api.example.com/users/7" },
        (response) => resolve(response.resume().statusCode),
      );
      sent.on("error", reject).end();
    });
    expect(status).toBe(200);
  });
});

describe("Prefer", () => {
  const prefer = (path: string, value: string, init: RequestInit = {}) =>
    ask(path, { ...init, headers: { ...(init.headers as Record<string, string>), prefer: value } });

  test("chooses a status, also one of a range", async () => {
    const taken = await prefer("/users", "code=409", post({ name: "Ada" }));
    expect([taken.status, taken.body]).toEqual([409, { code: 1, message: "Taken" }]);
    expect(taken.headers.get("preference-applied")).toBe("code=409");
    expect((await prefer("/users", "code=503", post({ name: "Ada" }))).status).toBe(503);
    const unknown = await prefer("/users/7", "code=404");
    expect([unknown.status, unknown.body["detail"]]).toEqual([
      400,
      expect.stringContaining("use one of 200"),
    ]);
  });

  test("chooses an example, unless the schema does not accept it", async () => {
    expect((await prefer("/users/me", "example=grace")).body).toEqual({ id: 2, name: "Grace" });
    expect((await prefer("/users/me", "example=none")).body["detail"]).toContain(
      "use one of ada, grace",
    );
    expect((await prefer("/users/me", "example=wrong")).body["detail"]).toContain(
      "must have the property name",
    );
  });

  test("chooses other values each time", async () => {
    const one = (await prefer("/users/me", "dynamic=true")).text;
    expect(one).not.toContain("Ada");
    expect((await prefer("/users/me", "dynamic=true")).text).not.toBe(one);
  });
});

describe("a handler", () => {
  test("replaces a part of the body", async () => {
    const handlers: DocumentMockOptions["handlers"] = {
      "get /users/{id}": ({ input }) => ({ name: `User ${toText(input["id"])}` }),
    };
    expect((await ask("/users/7", {}, { handlers })).body).toMatchObject({ id: 7, name: "User 7" });
  });

  test("is told if its part does not fit the document", async () => {
    const handlers = { "get /users/{id}": () => ({ name: "A" }) };
    const { status, body } = await ask("/users/7", {}, { handlers });
    expect([status, body["detail"]]).toEqual([
      500,
      expect.stringContaining("/name must have at least 3"),
    ]);
  });

  test("needs an operation", async () => {
    await expect(start({ handlers: { "get /none": () => ({}) } })).rejects.toThrow(
      'mock: `handlers` has "get /none", but the document has no such operation. Use a method and a path as in the document, such as "delete /users/{id}".',
    );
  });
});

test.for([
  [{ swagger: "2.0" }, "The document is a document of Swagger 2.0. Convert it"],
  [{}, "The document is no OpenAPI document"],
  ["none.yaml", "none.yaml cannot be read"],
] as const)("a document that cannot be used is refused: %j", async ([given, message]) => {
  await expect(start({ document: given })).rejects.toThrow(message);
});
