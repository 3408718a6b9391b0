import { Validator } from "@seriousme/openapi-schema-validator";
import { defaultEndpointsFactory as factory } from "sallyport";
import { generateOpenApi, type OpenApiVersion } from "sallyport/openapi";
import type { OpenAPIV3_1 } from "openapi-types";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { routing as exampleRouting } from "../fixtures/users-api/src/routing.ts";
import { findOperation, generateOne } from "./generate.ts";
import { findOfficialErrors } from "./official-schemas.ts";
import { tortureConfig, tortureRouting } from "./torture/routing.ts";

const info = { title: "Torture", version: "1.0.0", license: { name: "MIT" } };
const torture = { routing: tortureRouting, config: tortureConfig, head: true };

describe.each<OpenApiVersion>(["3.0", "3.1", "3.2"])("OpenAPI %s", (openapi) => {
  test.each([
    ["the example", { routing: exampleRouting }],
    ["the torture routing", torture],
  ])("the document of %s is valid", async (_name, options) => {
    const document = generateOpenApi({ ...options, info, openapi });
    expect(findOfficialErrors(document, openapi)).toEqual([]);
    const result = await new Validator().validate(structuredClone(document));
    expect([result.valid, result.errors ?? []]).toEqual([true, []]);
  });

  test("the official schemas detect a defective document", () => {
    const document = generateOpenApi({ routing: exampleRouting, info, openapi });
    const parameter = { name: "a", in: "nowhere", schema: {} };
    const paths = { "/a": { get: { parameters: [parameter], responses: {} } } };
    expect(findOfficialErrors({ ...document, paths }, openapi)).not.toEqual([]);
    const schemas = { A: { type: "text" } };
    expect(findOfficialErrors({ ...document, components: { schemas } }, openapi)).not.toEqual([]);
  });
});

test("the torture routing has more than 60 endpoints", () => {
  const document = generateOpenApi({ ...torture, head: false, info }) as unknown;
  const { paths = {} } = document as OpenAPIV3_1.Document;
  const operations = Object.values(paths).flatMap((item) => Object.keys(item ?? {}));
  expect(operations.length).toBeGreaterThan(60);
});

test("a document is plain JSON, and the same each time", () => {
  const document = generateOpenApi({ ...torture, info });
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  expect(generateOpenApi({ ...torture, info })).toEqual(document);
});

test("data that looks like a reference is left alone", () => {
  const named = z.object({ a: z.string() }).meta({ id: "U" });
  const data = { $ref: "#", items: { $ref: "#/$defs/U" }, discriminator: { mapping: { a: "#" } } };
  const input = z.object({
    default: named,
    examples: z.any().meta({ examples: [data] }),
    preset: z.any().default(data),
    constant: z.any().meta({ const: data }),
    own: z.any().meta({ $ref: "#" }),
  });
  const endpoint = factory.build({ input, handler: () => ({}) });
  const { requestBody } = generateOne("POST /a", { "post /a": endpoint });
  expect(requestBody?.content?.["application/json"]?.schema?.["properties"]).toMatchObject({
    default: { $ref: "#/components/schemas/U" },
    examples: { examples: [data] },
    preset: { default: data },
    constant: { const: data },
  });
});

test.each<OpenApiVersion>(["3.0", "3.1"])(
  "names may be those of keywords in OpenAPI %s",
  (openapi) => {
    const names = ["schema", "example", "examples", "properties", "schemas", "const"];
    const named = z.object({ a: z.string() }).meta({ id: "U" });
    const all = <Value>(value: Value) => Object.fromEntries(names.map((name) => [name, value]));
    const endpoint = factory.build({
      responseHeaders: z.object(all(z.string().nullable())),
      handler: () => ({}),
    });
    const webhooks = all({ input: z.object({ u: named.nullable() }) });
    const servers = [{ url: "/{schema}", variables: { schema: { default: "v1" } } }];
    const document = generateOpenApi({
      routing: { a: endpoint },
      info,
      openapi,
      webhooks,
      servers,
    });
    const isOld = openapi === "3.0";
    const { responses } = findOperation(document, "GET /a");
    const nullable = isOld ? { type: "string", nullable: true } : { type: ["string", "null"] };
    expect(responses["200"]?.headers).toEqual(all({ required: true, schema: nullable }));
    expect(document.servers).toEqual(servers);
    const orNull = isOld ? { $ref: "#/components/schemas/Null" } : { type: "null" };
    const u = { anyOf: [{ $ref: "#/components/schemas/U" }, orNull] };
    const content = { "application/json": { schema: { properties: { u } } } };
    expect(document[isOld ? "x-webhooks" : "webhooks"]).toMatchObject(
      all({ post: { requestBody: { content } } }),
    );
  },
);
