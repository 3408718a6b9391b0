import { readFileSync } from "node:fs";
import type { JsonObject } from "sallyport/openapi";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Operation } from "./generate.ts";

const files = ["../../example/openapi.yaml", "../fixtures/users-api/openapi.yaml"];

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Operation["responses"] };
}

describe.each(files)("The document %s", (file) => {
  const document = parse(readFileSync(new URL(file, import.meta.url), "utf8")) as Document;
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const responses = [...operations, document.components].flatMap((one) =>
    Object.values(one.responses),
  );

  test("describes each parameter and each header field of a response", () => {
    const parameters = operations.flatMap(({ operationId, parameters: own = [] }) =>
      own.map((parameter) => [`${operationId} ${parameter.name}`, parameter] as const),
    );
    const fields = responses.flatMap(({ headers = {} }) => Object.entries(headers));
    const undescribed = [...parameters, ...fields].filter(
      ([, one]) => (one as JsonObject)["description"] === undefined,
    );
    expect(undescribed.map(([name]) => name)).toEqual([]);
  });
});
