import { describe, expect, test, vi } from "vitest";
import { toText } from "@sallyport/document";
import { mockDocument, type DocumentHandler } from "../src/index.ts";

const book = {
  type: "object",
  required: ["id", "title"],
  properties: { id: { type: "integer" }, title: { type: "string" } },
};
const error = {
  type: "object",
  required: ["message"],
  properties: { message: { type: "string" } },
};
const content = (schema: object, more: object = {}) => ({
  ...{ description: "", content: { "application/json": { schema, ...more } } },
});
const location = (schema: object) => ({ Location: { required: true, schema } });
const requestBody = content(book);
const created = (schema: object, format?: string) => ({
  requestBody,
  responses: {
    201: { ...content(schema), headers: location({ type: "string", format }) },
  },
});
const named = { ada: { value: { id: 1, title: "Ada" } }, bob: { value: { id: 2, title: "Bob" } } };

const document = {
  openapi: "3.1.0",
  info: { title: "Test", version: "1" },
  paths: {
    "/books": {
      get: { responses: { 200: content(book, { examples: named }) } },
      post: created(book),
    },
    "/books/{bookId}": {
      parameters: [
        { name: "bookId", in: "path", required: true, schema: { type: "integer", minimum: 1 } },
      ],
      get: {
        responses: { 200: content(book), 404: content(error), 400: { description: "Wrong" } },
      },
      put: created(book),
      delete: { responses: { 204: { description: "Gone" } } },
    },
    "/shelves": {
      get: {
        responses: {
          200: content({ ...book, examples: Object.values(named).map((one) => one.value) }),
        },
      },
      post: created({
        type: "object",
        required: ["data"],
        properties: {
          data: {
            type: "object",
            required: ["shelf"],
            properties: { shelf: { type: "string", const: "a b" } },
          },
        },
      }),
    },
    "/shelves/{shelf}": {
      parameters: [{ name: "shelf", in: "path", required: true, schema: { type: "string" } }],
      get: { responses: { 200: content(book) } },
    },
    "/links": { post: created(book, "uri") },
    "/report": {
      get: {
        responses: {
          200: { description: "", content: { "text/csv": { schema: { type: "string" } } } },
        },
      },
    },
  },
};

const ask = async (
  key: string,
  {
    body,
    prefer,
    handlers = {},
  }: {
    readonly body?: unknown;
    readonly prefer?: string;
    readonly handlers?: Readonly<Record<string, DocumentHandler>>;
  } = {},
) => {
  const [method = "", path = ""] = key.split(" ");
  const response = await mockDocument({ document, handlers }).fetch(path, {
    method,
    ...(body !== undefined && { body: toText(body) }),
    headers: { "content-type": "application/json", ...(prefer !== undefined && { prefer }) },
  });
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get("content-type")?.endsWith("json") === true;
  const read = isJson ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {};
  return { status, headers, text, body: read };
};

describe("a Location", () => {
  test.for([
    ["POST /books", "/books/47"],
    ["PUT /books/47", "/books/47"],
    ["POST /shelves", "/shelves/a%20b"],
    ["POST /links", "http://localhost/links/47"],
  ] as const)("of %s is %s", async ([key, expected]) => {
    const { status, headers } = await ask(key, { body: { id: 47, title: "Emma" } });
    expect([status, headers.get("location")]).toEqual([201, expected]);
  });
});

describe("Prefer", () => {
  test("chooses an example by its index, too", async () => {
    for (const path of ["/books", "/shelves"]) {
      const { body } = await ask(`GET ${path}`, { prefer: "example=1" });
      expect(body).toEqual({ id: 2, title: "Bob" });
      expect((await ask(`GET ${path}`, { prefer: "example=2" })).status).toBe(400);
    }
  });

  test("keeps the id of the path in other values", async () => {
    const { body } = await ask("GET /books/7", { prefer: "dynamic=true" });
    expect(body).toMatchObject({ id: 7 });
  });
});

describe("an error", () => {
  test("says that a body is no valid JSON", async () => {
    const { status, body } = await ask("POST /books", { body: "{" });
    expect([status, body["detail"]]).toEqual([400, "body is no valid JSON"]);
  });

  test("that is declared without content has none", async () => {
    const { status, text, headers } = await ask("GET /books/0");
    expect([status, text, headers.get("content-type")]).toEqual([400, "", null]);
    expect(headers.get("mock-problem")).toBe("path bookId must be at least 1");
  });
});

describe("a handler", () => {
  const fail = (status: number) => () => {
    throw Object.assign(new Error("No such book"), { status });
  };

  test("is called for a reply without a body", async () => {
    const called = vi.fn<DocumentHandler>(() => true);
    const handlers = { "delete /books/{bookId}": called };
    const { status, text } = await ask("DELETE /books/7", { handlers });
    expect([status, text]).toEqual([204, ""]);
    expect(called.mock.calls[0]?.[0].input).toMatchObject({ bookId: 7 });
  });

  test("throws errors, which have the declared form", async () => {
    const handlers = { "get /books/{bookId}": fail(404), "delete /books/{bookId}": fail(409) };
    const declared = await ask("GET /books/7", { handlers });
    expect([declared.status, declared.body]).toEqual([404, { message: "No such book" }]);
    const other = await ask("DELETE /books/7", { handlers });
    expect([other.status, other.body["detail"]]).toEqual([409, "No such book"]);
  });

  test("that fails gets a 500, and is logged", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    const failure = new Error("secret");
    const { status, body } = await ask("GET /books/7", {
      handlers: {
        "get /books/{bookId}": () => {
          throw failure;
        },
      },
    });
    expect([status, toText(body["detail"])]).toEqual([
      500,
      'The handler of "get /books/{bookId}" has failed; the log of the mock says why.',
    ]);
    expect(log.mock.calls).toEqual([
      ['mock: the handler of "get /books/{bookId}" has failed:', failure],
    ]);
    log.mockRestore();
  });

  test("returns the text of a body", async () => {
    const { text } = await ask("GET /report", { handlers: { "get /report": () => "id\n7\n" } });
    expect(text).toBe("id\n7\n");
  });
});
