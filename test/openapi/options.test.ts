import { defaultEndpointsFactory as factory, Middleware } from "sallyport";
import type { OpenApiOptions } from "sallyport/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generate } from "./generate.ts";

const build = () => factory.build({ handler: () => ({}) });

describe("generateOpenApi refuses", () => {
  test.each<[string, object, string]>([
    [
      "an unknown option of a webhook",
      { webhooks: { paid: { inptu: z.object({}) } } },
      "`webhooks.paid`: there is no option `inptu`. Did you mean `input`?",
    ],
    [
      "a webhook's method in upper case",
      { webhooks: { paid: { method: "POST" } } },
      '`webhooks.paid.method` must be one of "get", "post", "put", "patch", "delete", "query"; got "POST".',
    ],
    [
      "a webhook's input that is no schema",
      { webhooks: { paid: { input: {} } } },
      "`webhooks.paid.input` must be a Zod 4 schema; got ",
    ],
    [
      "a selection of routes that is no path",
      { routes: "v1" },
      '`routes` must be a path, such as "/v1", or a function; got "v1".',
    ],
    ["webhooks in an array", { webhooks: [] }, "`webhooks` must be an object; got "],
    [
      "an unknown override",
      { override: { schma: () => undefined } },
      "`override`: there is no option `schma`. Did you mean `schema`?",
    ],
    [
      "an override that is no function",
      { override: { schema: {} } },
      "`override.schema` must be a function; got ",
    ],
    [
      "an unknown option of a server",
      { servers: [{ uri: "/v1" }] },
      "`servers`: there is no option `uri`. Did you mean `url`?",
    ],
    [
      "a server without a URL",
      { servers: { description: "x" } },
      '`servers` must be a URL, such as "/v1", or an object with a `url`; got an object with description.',
    ],
  ])("%s", (_name, options, message) => {
    expect(() => generate({}, options)).toThrow(
      expect.objectContaining({
        code: "SLP_OPENAPI_OPTION",
        message: expect.stringContaining(message) as string,
      }),
    );
  });
});

describe("routes are selected", () => {
  const v1 = {
    v1: factory.build({ tag: "a", handler: () => ({}) }),
    "v1/b": build(),
    v11: build(),
  };
  const pathsOf = (routes: OpenApiOptions["routes"]) => Object.keys(generate(v1, { routes }).paths);

  test("by a path, which includes the paths below it", () => {
    expect(pathsOf("/v1")).toEqual(["/v1", "/v1/b"]);
    expect(pathsOf("/v1/")).toEqual(["/v1", "/v1/b"]);
    expect(pathsOf("/")).toHaveLength(3);
    expect(() => pathsOf("/v2")).toThrow('`routes`: there is no route at "/v2" or below it.');
  });

  test("by a function", () => {
    expect(pathsOf(({ tags }) => tags.includes("a"))).toEqual(["/v1"]);
    expect(pathsOf(({ method, path }) => method === "get" && path === "/v11")).toEqual(["/v11"]);
    expect(pathsOf(({ endpoint }) => endpoint.isDeprecated)).toEqual([]);
  });

  test("so that others leave no components, security schemes and tags", () => {
    const guard = new Middleware({ security: { type: "basic" }, handler: () => ({}) });
    const output = z.object({}).meta({ id: "Secret" });
    const secret = factory.addMiddleware(guard).build({ tag: "b", output, handler: () => ({}) });
    const text = JSON.stringify(generate({ ...v1, secret }, { routes: "/v1" }));
    expect(text).not.toMatch(/Secret|basic|"b"/);
  });
});

test("a generated operationId gives way to the id of a webhook", () => {
  const users = factory.build({ handler: () => ({}) });
  const document = generate({ users }, { webhooks: { getUsers: { input: z.object({}) } } });
  expect(document).toMatchObject({
    paths: { "/users": { get: { operationId: "getUsers2" } } },
    webhooks: { getUsers: { post: { operationId: "getUsers" } } },
  });
});

test("a server may have extensions", () => {
  const server = { url: "/v1", "x-internal": true };
  expect(generate({}, { servers: server }).servers).toEqual([server]);
});
