import { readFileSync } from "node:fs";
import { generateOpenApi, type JsonObject } from "sallyport/openapi";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { Checker } from "./conformance/checker.ts";
import type { Operation } from "./generate.ts";
import { tortureConfig, tortureRouting } from "./torture/routing.ts";

const files = ["../../example/openapi.yaml", "../fixtures/users-api/openapi.yaml"];

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Operation["responses"];
    readonly headers?: JsonObject;
  };
}

const read = (file: string) =>
  parse(readFileSync(new URL(file, import.meta.url), "utf8")) as Document;

const listOperations = ({ paths }: Document) =>
  Object.values(paths).flatMap((item) => Object.values(item));

const listResponses = (document: Document) =>
  [...listOperations(document), document.components].flatMap((one) => Object.values(one.responses));

describe.each(files)("The document %s", (file) => {
  const document = read(file);

  test("describes each parameter and each header field of a response", () => {
    const parameters = listOperations(document).flatMap(({ operationId, parameters: own = [] }) =>
      own.map((parameter) => [`${operationId} ${parameter.name}`, parameter] as const),
    );
    const fields = listResponses(document).flatMap(({ headers = {} }) => Object.entries(headers));
    const shared = Object.keys(document.components.headers ?? {});
    const isShared = ({ $ref: reference }: JsonObject): boolean =>
      shared.some((name) => reference === `#/components/headers/${name}`);
    const undescribed = [...parameters, ...fields].filter(
      ([, one]) => (one as JsonObject)["description"] === undefined && !isShared(one as JsonObject),
    );
    expect(undescribed.map(([name]) => name)).toEqual([]);
  });
});

const info = { title: "Torture", version: "1" };
const torture = { routing: tortureRouting, config: tortureConfig, info };

test.each<[string, () => Document, number]>([
  ...files.map((file) => [file, () => read(file), 5] as [string, () => Document, number]),
  ["the torture routing", () => generateOpenApi(torture) as never, 10],
])("the examples of errors in %s fit their schemas", (_name, write, least) => {
  const document = write();
  const checker = new Checker(document as never);
  const media = listResponses(document).flatMap(({ content = {} }) => Object.values(content));
  const examples = media.flatMap(({ schema, example, examples: named }) => {
    const values = Object.values((named ?? {}) as Record<string, { readonly value: unknown }>);
    return [{ value: example }, ...values].flatMap(({ value }) =>
      value === undefined ? [] : [{ schema, value }],
    );
  });
  expect(examples.length).toBeGreaterThan(least);
  expect(examples.flatMap(({ schema, value }) => checker.validate(schema, value) ?? [])).toEqual(
    [],
  );
});
