import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generate } from "./generate.ts";

describe("generateOpenApi refuses", () => {
  test.each<[string, object, string]>([
    [
      "an unknown option of a webhook",
      { webhooks: { paid: { inptu: z.object({}) } } },
      '`webhooks`, "paid": there is no option `inptu`. Did you mean `input`?',
    ],
    [
      "a webhook's method in upper case",
      { webhooks: { paid: { method: "POST" } } },
      '"paid": `method` must be one of get, post, put, patch, delete; got "POST".',
    ],
    [
      "a webhook's input that is no schema",
      { webhooks: { paid: { input: {} } } },
      '"paid": `input` must be a Zod 4 schema; got ',
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
      'a server must have a `url`, such as "/v1"; got undefined.',
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
