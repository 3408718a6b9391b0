import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { InputSource } from "../../define/endpoint/input-sources.ts";
import { defaultEndpointsFactory as factory } from "../../define/endpoint/endpoints-factory.ts";
import { ez } from "../../basics/schemas/ez.ts";
import type { InputSchema, OutputSchema } from "../../basics/schemas/schema.ts";
import { toQueryParser } from "../../basics/http/query.ts";
import { Operation } from "./operation.ts";

const toOperation = ({
  input,
  output,
  inputSources,
}: {
  readonly input?: InputSchema;
  readonly output?: OutputSchema;
  readonly inputSources?: readonly InputSource[];
}) =>
  new Operation(
    {
      method: "post",
      path: "/users/:id",
      endpoint: factory.build({ input, output, inputSources, handler: () => ({}) }),
    },
    {},
  );

test("an operation knows its route, path parameters, sources and input schemas", () => {
  const input = z.object({ id: z.string() });
  expect(toOperation({ input })).toMatchObject({
    route: "POST /users/:id",
    parameters: ["id"],
    sources: ["body", "params", "files"],
    inputs: [input],
    hasBody: true,
  });
});

test.each<[string, InputSchema, string]>([
  ["json", z.object({}), "application/json"],
  ["form", ez.form({ name: z.string() }), "application/x-www-form-urlencoded"],
  ["files", z.object({ file: ez.upload() }), "multipart/form-data"],
  ["raw", ez.raw({}, { contentMediaType: "text/csv" }), "text/csv"],
  ["raw", ez.raw(), "*/*"],
])("an operation takes a %s body", (kind, input, mediaType) => {
  expect(toOperation({ input }).body).toEqual({ kind, mediaType });
});

test.each<[string, readonly InputSource[], string | undefined]>([
  ["id", ["body", "params"], "path"],
  ["id", ["body"], "body"],
  ["name", ["query", "body"], "query"],
  ["x-name", ["headers", "query"], "header"],
  ["name", ["headers", "params"], undefined],
  ["name", ["cookies", "signedCookies"], "cookie"],
  ["name", ["params"], undefined],
])("the field %s of the sources %j is located in %s", (name, inputSources, location) => {
  expect(toOperation({ inputSources }).locate(name)).toBe(location);
});

describe("replies", () => {
  test("a file is sent whole, as a range, or not at all to conditional requests", () => {
    expect(toOperation({ output: ez.file("text/csv; charset=utf-8") }).successes).toEqual([
      { status: 200, bodies: [{ type: "text/csv" }] },
      { status: 206, bodies: [{ type: "text/csv" }] },
      { status: 304, bodies: [], isConditional: true },
    ]);
  });

  test("the errors include those of the framework", () => {
    const { errors } = toOperation({ input: z.object({}) });
    expect(errors.map(({ status }) => status)).toEqual([400, 413, 415, 500]);
  });

  test("a page names its items", () => {
    const { output } = ez.paginated({
      style: "offset",
      itemSchema: z.string(),
      itemsName: "users",
    });
    expect(toOperation({ output }).itemsName).toBe("users");
    expect(toOperation({ output: z.object({ users: z.array(z.string()) }) }).itemsName).toBe(
      undefined,
    );
  });
});

test("a user's own application has its own query parser", () => {
  expect(toQueryParser({})).toBe("simple");
  expect(toQueryParser({ queryParser: () => ({}) })).toBe("unknown");
  expect(toQueryParser({ app: { settings: { "query parser": "extended" } } })).toBe("extended");
  expect(toQueryParser({ app: {} })).toBe("unknown");
});
