import { Validator } from "@seriousme/openapi-schema-validator";
import { generateOpenApi, type OpenApiVersion } from "sallyport/openapi";
import { describe, expect, test } from "vitest";
import { routing as exampleRouting } from "../../example/src/routing.ts";
import { tortureConfig, tortureRouting } from "./torture/routing.ts";

const info = { title: "Torture", version: "1.0.0", license: { name: "MIT" } };

describe.each<OpenApiVersion>(["3.0", "3.1", "3.2"])("OpenAPI %s", (openapi) => {
  test.each([
    ["the example", { routing: exampleRouting }],
    ["the torture routing", { routing: tortureRouting, config: tortureConfig, head: true }],
  ])("the document of %s is valid", async (_name, options) => {
    const document = generateOpenApi({ ...options, info, openapi });
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });
});
