import { expectTypeOf, test } from "vitest";
import type { OpenApiOptions, OpenApiOperation } from "sallyport/openapi";

const check = (_override: OpenApiOptions["override"]): void => undefined;

test("an override receives and returns an operation", () => {
  check({
    operation: ({ path, operation }) => {
      expectTypeOf(path).toEqualTypeOf<string>();
      expectTypeOf(operation).toEqualTypeOf<OpenApiOperation>();
      expectTypeOf(operation.summary).toEqualTypeOf<string | undefined>();
      expectTypeOf(operation.parameters?.[0]?.schema).toEqualTypeOf<
        Record<string, unknown> | undefined
      >();
      operation["x-team"] = "accounts";
      delete operation.description;
      for (const parameter of operation.parameters ?? []) parameter.required = true;
      const response = operation.responses?.["200"];
      if (response && "description" in response) response.headers = { ETag: {} };
      // @ts-expect-error a misspelt field
      operation.sumary = "Reads a user";
      // @ts-expect-error one tag instead of a list
      operation.tags = "users";
    },
  });
  check({ operation: ({ operation }) => ({ ...operation, tags: ["users"] }) });
  // @ts-expect-error responses without descriptions
  check({ operation: () => ({ responses: { 200: {} } }) });
});
