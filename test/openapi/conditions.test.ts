import { defaultEndpointsFactory as factory, type Routing } from "sallyport";
import { generateClient } from "sallyport/generate-client";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { expect, test } from "vitest";
import { z } from "zod";
import { generate, generateOne } from "./generate.ts";

const version = () => "1";
const current = () => "1";
const read = factory.build({ version, handler: () => ({}) });
const write = factory.build({
  method: ["put", "patch"],
  version,
  ifMatch: "required",
  current,
  handler: () => ({}),
});
const remove = factory.buildVoid({
  method: "delete",
  ifMatch: "optional",
  current,
  handler: () => undefined,
});
const routing: Routing = { notes: { get: read, put: write, delete: remove } };

const describeOne = (at: string) => {
  const { parameters = [], responses } = generateOne(at, routing);
  return {
    parameters: Object.fromEntries(
      parameters.map(({ name, in: place, required = false }) => [`${place} ${name}`, required]),
    ),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { headers = {} }]) => [status, Object.keys(headers)]),
    ),
  };
};

test("A read with a version documents its conditions, its tags and 304", () => {
  const tags = ["etag", "last-modified"];
  expect(describeOne("GET /notes")).toEqual({
    parameters: { "header if-none-match": false, "header if-modified-since": false },
    responses: { 200: tags, 304: tags, 500: [] },
  });
  expect(generateOne("GET /notes", routing).responses["304"]?.content).toBeUndefined();
});

test("A conditional write documents If-Match, 412 and 428, and the new tags", () => {
  expect(describeOne("PUT /notes")).toEqual({
    parameters: { "header if-match": true, "header if-none-match": false },
    responses: {
      200: ["etag", "last-modified"],
      400: [],
      412: [],
      413: [],
      415: [],
      428: [],
      500: [],
    },
  });
  const { parameters, responses } = describeOne("DELETE /notes");
  expect(parameters).toEqual({
    "header if-match": false,
    "header if-none-match": false,
    "header if-unmodified-since": false,
  });
  expect(responses).toEqual({ 200: [], 412: [], 500: [] });
});

test("A declared field replaces that of the version", () => {
  const responseHeaders = z.object({ etag: z.string().describe("The revision.") });
  const own = factory.build({ version, responseHeaders, handler: () => ({}) });
  expect(generateOne("GET /own", { own }).responses["200"]?.headers).toMatchObject({
    etag: { description: "The revision.", required: true },
  });
});

test("An endpoint without conditions documents none", () => {
  const text = JSON.stringify(generate({ plain: factory.build({ handler: () => ({}) }) }));
  expect(text).not.toMatch(/etag|if-|304|412/);
});

test("A generated client requires If-Match where the endpoint does", () => {
  const client = generateClient({ routing });
  expect(client).toMatch(/"put \/notes": \{\s+input: [^;]+;\s+headers: [^;]*"if-match": string;/);
  expect(client).toMatch(/"delete \/notes": \{\s+input: [^;]+;\s+headers: [^;]*"if-match"\?: /);
  expect(client).toContain('412: ["json"]');
  expect(client).not.toContain("304: [");
});

test.each([true, false])("An idempotency key is required (%s) of writes alone", (required) => {
  const middleware = idempotency({ store: memoryStore(), scope: () => 1, required });
  const method = ["get", "post"] as const;
  const keyed = factory.addMiddleware(middleware).build({ method, handler: () => ({}) });
  const isRequired = (at: string) =>
    generateOne(at, { orders: keyed }).parameters?.find(({ name }) => name === "idempotency-key")?.[
      "required"
    ] ?? false;
  expect([isRequired("GET /orders"), isRequired("POST /orders")]).toEqual([false, required]);
});
