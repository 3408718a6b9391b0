import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Operation } from "../api/operation.ts";
import {
  arrayEndpointsFactory,
  defaultEndpointsFactory,
  EndpointsFactory,
  problemEndpointsFactory,
} from "../../define/endpoint/endpoints-factory.ts";
import {
  ResultHandler,
  type OutputPlaceholderSchema,
} from "../../define/results/result-handler.ts";
import type { ResponseDeclaration } from "../../define/results/api-response.ts";
import type { Routing } from "../../define/routing/routing.ts";
import { walkRouting } from "../../define/routing/walk-routing.ts";
import { checkOutputs } from "./check-schemas.ts";

const check = (routing: Routing) =>
  checkOutputs(walkRouting(routing).endpoints.map((entry) => new Operation(entry, {})));
const fields = (routing: Routing): unknown[] =>
  check(routing).map(({ meta }) => (meta as { field?: string }).field);

const output = z.object({ items: z.array(z.object({ n: z.bigint() })), all: z.set(z.string()) });
const handler = () => ({ items: [], all: new Set<string>() });

const answering = (
  positive: ResponseDeclaration | ((data: OutputPlaceholderSchema) => ResponseDeclaration),
) =>
  new EndpointsFactory(
    new ResultHandler({ positive, negative: z.string(), handler: () => undefined }),
  );
const both = ["output.items[].n", "output.all"];

describe("checks the parts of outputs that a result handler sends as JSON", () => {
  test.each([
    ["with the default result handler", defaultEndpointsFactory, both],
    ["with the problem result handler", problemEndpointsFactory, both],
    ["with the array result handler", arrayEndpointsFactory, ["output.items[].n"]],
    ["within an object", answering((data) => z.object({ data })), both],
    [
      "as JSON with a type of its own",
      answering((schema) => ({ schema, mimeType: "application/hal+json" })),
      both,
    ],
    [
      "with several responses, one of them JSON",
      answering((schema) => [{ schema, mimeType: "text/csv" }, { schema: z.array(schema) }]),
      both,
    ],
    ["not as CSV", answering((schema) => ({ schema, mimeType: "text/csv" })), []],
    [
      "not as either JSON or XML",
      answering((schema) => ({ schema, mimeType: ["application/json", "application/xml"] })),
      [],
    ],
    ["not without a body", answering((schema) => ({ schema, mimeType: null })), []],
    ["not if the body lacks the output", answering(z.object({ ok: z.boolean() })), []],
  ] as const)("%s", (_what, factory, expected) => {
    const endpoint = factory.build({ method: ["get", "post"], output, handler });
    // a misfit is reported once, however many routes serve the endpoint
    expect(fields({ a: endpoint, b: endpoint })).toEqual(expected);
  });

  test("accepts an endpoint without output, and a void one", () => {
    expect(fields({ a: defaultEndpointsFactory.build({ handler: () => ({ n: 1n }) }) })).toEqual(
      [],
    );
    expect(fields({ a: defaultEndpointsFactory.buildVoid({ handler }) })).toEqual([]);
  });

  test("reports a result handler that declares nothing, but only once", () => {
    const factory = answering(() => []);
    const routing = {
      a: factory.build({ output: z.object({ a: z.string() }), handler: () => ({ a: "" }) }),
      b: factory.build({ output, handler }),
    };
    expect(check(routing)).toEqual([
      {
        code: "SLP_WARN_RESPONSE",
        text: expect.stringContaining("`positive` must declare at least one response"),
        meta: {
          ...{ method: "get", path: "/a" },
          reason: expect.stringContaining("at least one response"),
        },
      },
    ]);
  });
});
