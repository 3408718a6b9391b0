import { ez, problemEndpointsFactory, type Method } from "sallyport";
import { expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

type Part = { readonly parameter: string } | { readonly pointer: string } | object;
type Definition = Omit<Parameters<typeof problemEndpointsFactory.build>[0], "handler">;

const n = z.number();
const fields = z.object({ n });
const custom = z.object({ "x-a": z.string(), n: n.optional() });
const sources = (...inputSources: readonly ("body" | "cookies" | "headers" | "query")[]) => ({
  inputSources,
});

test.each<
  [
    string,
    Method,
    Definition,
    { body?: object; headers?: Record<string, string>; query?: string },
    Part[],
  ]
>([
  [
    "a wrong header field",
    "put",
    { headers: z.object({ "x-a": z.coerce.number() }), input: fields },
    { body: { n: 1 }, headers: { "x-a": "b" } },
    [{ parameter: "x-a" }],
  ],
  [
    "header fields that do not fit together",
    "put",
    { headers: z.object({ "x-a": z.string() }).refine(() => false) },
    { body: {}, headers: { "x-a": "b" } },
    [{}],
  ],
  [
    "a field `headers` of the body",
    "post",
    { input: z.object({ headers: z.object({ "x-a": z.string() }) }) },
    { body: { headers: {} } },
    [{ pointer: "#/headers/x-a" }],
  ],
  ["a missing field of a body", "patch", { input: fields }, { body: {} }, [{ pointer: "#/n" }]],
  ["a missing field without a body", "put", { input: fields }, {}, [{ pointer: "#/n" }]],
  [
    "a missing parameter of a POST",
    "post",
    { input: fields, ...sources("query") },
    { body: { n: 1 } },
    [{ parameter: "n" }],
  ],
  [
    "a wrong parameter of a POST",
    "post",
    { input: fields, ...sources("query", "body") },
    { body: { other: 1 }, query: "?n=x" },
    [{ parameter: "n" }],
  ],
  [
    "a wrong field of the body of a DELETE",
    "delete",
    { input: fields, ...sources("body") },
    { body: { n: "1" } },
    [{ pointer: "#/n" }],
  ],
  [
    "a missing field of the body of a DELETE",
    "delete",
    { input: fields, ...sources("body") },
    {},
    [{ pointer: "#/n" }],
  ],
  [
    "a missing field of a DELETE with a query and a body",
    "delete",
    { input: fields, ...sources("query", "body") },
    { body: { other: 1 } },
    [{ pointer: "#/n" }],
  ],
  ["a missing parameter of a DELETE", "delete", { input: fields }, {}, [{ parameter: "n" }]],
  [
    "a cookie",
    "post",
    { input: z.object({ session: z.coerce.number() }), ...sources("body", "cookies") },
    { body: {}, headers: { cookie: "session=a" } },
    [{ parameter: "session" }],
  ],
  [
    "a header field as a source, and a field of the body",
    "post",
    { input: custom, ...sources("body", "headers") },
    { body: { n: "1" } },
    [{ parameter: "x-a" }, { pointer: "#/n" }],
  ],
  [
    "a file",
    "post",
    { input: z.object({ file: ez.upload() }) },
    { body: {} },
    [{ pointer: "#/file" }],
  ],
  [
    "the whole body",
    "put",
    { input: z.object({ n }).refine(() => false) },
    { body: { n: 1 } },
    [{ pointer: "#" }],
  ],
  ["the whole query", "get", { input: z.object({}).refine(() => false) }, {}, [{}]],
])("problem details point at %s of a %s", async (_what, method, definition, sent, parts) => {
  const endpoint = problemEndpointsFactory.build({ ...definition, method, handler: () => ({}) });
  const server = await start({ a: endpoint }, { cookies: true, upload: true });
  const { query = "", ...rest } = sent;
  const answer = await server.send(`/a${query}`, { method: method.toUpperCase(), ...rest });
  const { errors } = answer.json() as { readonly errors: readonly Record<string, string>[] };
  expect(errors.map(({ detail: _detail, ...part }) => part)).toEqual(parts);
});
