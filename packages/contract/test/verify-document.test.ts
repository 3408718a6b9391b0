import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accepts } from "@sallyport/document";
import type { Request, Response } from "express";
import { expect, onTestFinished, test } from "vitest";
import { verify, type CheckName, type VerifyDocumentOptions } from "../src/index.ts";
import { readServer } from "../src/verify/operation.ts";
import { notesDocument, startNotes } from "./verify-express.ts";

type Spoil = Parameters<typeof startNotes>[0];

const verifyNotes = async (spoil: Spoil, more: Partial<VerifyDocumentOptions> = {}) => {
  const { url, close } = await startNotes(spoil);
  onTestFinished(close);
  return verify({
    ...{ document: notesDocument, url, seed: 1, runs: 8, login: { token: () => "secret" } },
    fixtures: {
      "/notes/{id}": async ({ send }) => {
        const made = (await (await send("POST /notes", { text: "Tea" })).json()) as { id: number };
        return { id: made.id };
      },
    },
    ...more,
  });
};

const keep: Spoil = () => undefined;

test.each([1, 2, 3, 4, 5])("nothing is found in an honest server with seed %i", async (seed) => {
  const { ok, text, table } = await verifyNotes(keep, { seed });
  expect(ok ? "ok" : text).toBe("ok");
  expect(table.map(({ operation }) => operation)).toEqual([
    ...["get /notes", "post /notes"],
    ...["delete /notes/{id}", "get /notes/{id}", "put /notes/{id}"],
  ]);
});

/** Changes the JSON of a reply. */
const tell =
  (on: RegExp, change: (body: Record<string, unknown>, response: Response) => void): Spoil =>
  (request, response) => {
    if (!on.test(`${request.method} ${request.path}`)) return;
    const json = response.json.bind(response);
    response.json = (body: Record<string, unknown>) => {
      if (response.statusCode < 300) change(body, response);
      return json(body);
    };
  };
const ask =
  (on: RegExp, change: (request: Request) => void): Spoil =>
  (request) => {
    if (on.test(`${request.method} ${request.path}`)) change(request);
  };

test.each<[string, string, CheckName, Spoil]>([
  [
    "another success",
    "post /notes",
    "status_code_conformance",
    tell(/POST/, (_, to) => to.status(200)),
  ],
  [
    "an undeclared 404",
    "get /notes",
    "status_code_conformance",
    tell(/GET .*s$/, (_, to) => to.status(404)),
  ],
  [
    "a string for a number",
    "get /notes/{id}",
    "response_schema_conformance",
    tell(/GET .*\d$/, (body) => (body["id"] = "1")),
  ],
  [
    "a missing header field",
    "get /notes/{id}",
    "response_headers_conformance",
    tell(/GET .*\d$/, (_, to) => to.removeHeader("etag")),
  ],
  [
    "nobody is let in",
    "get /notes",
    "ignored_auth",
    ask(/GET .*s$/, ({ headers }) => (headers.authorization = "Bearer secret")),
  ],
  [
    "a total that is wrong",
    "get /notes",
    "pages_total",
    tell(/GET .*s$/, (body) => (body["total"] = 3)),
  ],
  [
    "a Location that leads nowhere",
    "post /notes",
    "location",
    tell(/POST/, (_, to) => to.location("/api/notes/99999")),
  ],
  [
    "any If-Match",
    "put /notes/{id}",
    "conditional_write",
    ask(/PUT/, ({ headers }) => {
      if (headers["if-match"]) headers["if-match"] = "*";
    }),
  ],
  [
    "a public reply",
    "get /notes",
    "public_cache",
    tell(/GET .*s$/, (_, to) => to.set("cache-control", "public")),
  ],
  [
    "a failure",
    "put /notes/{id}",
    "not_a_server_error",
    tell(/PUT/, (body, to) => {
      if (String(body["text"]).length === 20) to.status(500);
    }),
  ],
])("%s is found in %s", async (_name, operation, check, spoil) => {
  const { failures, text } = await verifyNotes(spoil, { operations: [operation] });
  const found = failures.find((one) => one.check === check);
  expect(found ? "found" : text).toBe("found");
  expect(found?.curl).toMatch(/curl -X \w+ 'http:\/\/127\.0\.0\.1:\d+\/api\/notes/);
  expect(found?.test).toMatch(/fetch\(["`]http:\/\/127\.0\.0\.1:\d+\/api\/notes/);
  expect(found?.test).not.toContain("testServer");
});

test.each([
  [
    { url: "http://example.com/" },
    'url: http://example.com/ is not on this machine, and its operations are about to be called. If that is right, allow it with allowHost: "example.com"',
  ],
  [{ url: "http://127.0.0.1.example.com" }, "is not on this machine"],
  [{ url: "ftp://127.0.0.1" }, "url must be the address of a server"],
  [
    { url: "http://127.0.0.1:9" },
    /nothing answers at http:\/\/127\.0\.0\.1:9: .*\. Start the server/,
  ],
  [{ document: { swagger: "2.0" } }, "The document is a document of Swagger 2.0. Convert it"],
  [{ document: "none.yaml" }, "none.yaml cannot be read"],
  [
    { document: { openapi: "3.1.0", paths: { "/a": { $ref: "a.yaml" } } } },
    "The document: the reference a.yaml leads out of the document",
  ],
  [{ operations: ["get /note"] }, "there is no get /note. Did you mean get /notes"],
] as const)("options that are wrong are named: %j", async (options, message) => {
  await expect(verifyNotes(keep, options)).rejects.toThrow(message);
});

test("a document may refer to other files, and describe the method QUERY", () => {
  const folder = mkdtempSync(join(tmpdir(), "verify-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("openapi.yaml", 'openapi: 3.1.0\npaths: { /users: { $ref: "users.yaml#/all" } }\n');
  const user =
    "{ type: object, required: [id, key], properties: { id: { type: integer, readOnly: true }, key: { type: string, writeOnly: true } } }";
  const content = `content: { application/json: { schema: ${user} } }`;
  write(
    "users.yaml",
    `all: { x-query: { requestBody: { ${content} }, responses: { 200: { ${content} } } } }`,
  );
  const [operation] = readServer(join(folder, "openapi.yaml")).operations;
  expect(operation?.key).toBe("query /users");
  // a request has nothing that only replies have, nor a reply what only requests have
  expect(accepts(operation?.body?.["application/json"] ?? {}, { key: "a" })).toBe(true);
  expect(accepts(operation?.replies["200"]?.content["application/json"] ?? {}, { id: 1 })).toBe(
    true,
  );
});
