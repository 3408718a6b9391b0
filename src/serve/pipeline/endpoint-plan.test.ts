import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory } from "../../define/endpoint/endpoints-factory.ts";
import { ez } from "../../basics/schemas/ez.ts";
import { LazyPlan, planEndpoint } from "./endpoint-plan.ts";

const handler = () => ({});
const plain = z.object({ a: z.string() });
const checked = factory.addMiddleware({ input: z.object({ key: z.string() }), handler });
const build = (input: z.ZodObject, from = factory) =>
  from.build({ method: "post", input: input as typeof plain, handler });
const endpoint = build(plain);

describe("a plan", () => {
  test("is frozen, so no request can affect later ones", () => {
    expect(planEndpoint(endpoint, ["body"])).toSatisfy(Object.isFrozen);
  });

  test("is created once, when it is first read", () => {
    const limits = { requestTimeout: 5 };
    const lazy = new LazyPlan(endpoint, ["body"], limits, "/a/:b");
    const { plan } = lazy;
    expect(lazy.plan).toBe(plan);
    expect([plan.body, plan.sources, lazy.route]).toEqual(["parsed", ["body"], { path: "/a/:b" }]);
  });

  test("has the time limits of the endpoint, else those of the configuration, else none", () => {
    const own = factory.build({ timeout: 7, handler });
    const limits = { requestTimeout: 5 };
    const plans = [planEndpoint(own, [], limits), planEndpoint(endpoint, [], limits)];
    expect(plans.map(({ timeout }) => timeout)).toEqual([7, 5]);
    expect(planEndpoint(endpoint, []).timeout).toBe(0);
  });

  test.each([
    ["no body if the body is not a source", plain, factory, [], "none"],
    ["the parsed body if the body is a source", plain, factory, ["body"], "parsed"],
    ["the bytes for a raw input", ez.raw(), factory, ["body"], "raw"],
    [
      "the bytes for a raw input, behind a middleware with an input",
      ez.raw(),
      checked,
      ["body"],
      "raw",
    ],
  ] as const)("takes %s", (_how, input, from, sources, body) => {
    expect(planEndpoint(build(input, from as typeof factory), sources).body).toBe(body);
  });

  test.each([
    ["a file", z.object({ file: ez.upload() }), factory, ["files"], true],
    [
      "a file, behind a middleware with an input",
      z.object({ file: ez.upload() }),
      checked,
      ["files"],
      true,
    ],
    [
      "a file, without files as a source",
      z.object({ file: ez.upload() }),
      factory,
      ["body"],
      false,
    ],
    ["no file", plain, factory, ["files"], false],
  ] as const)(
    "says whether files are accepted: an input with %s",
    (_what, input, from, sources, takesFiles) => {
      expect(planEndpoint(build(input, from as typeof factory), sources)).toMatchObject({
        takesFiles,
      });
    },
  );

  test("hides a middleware's input fields from a strict endpoint that does not declare them", () => {
    const toKeys = (input: z.ZodObject): readonly string[] =>
      planEndpoint(build(input, checked), ["body"]).middlewareOnlyKeys;
    expect(toKeys(z.strictObject({ a: z.string() }))).toEqual(["key"]);
    expect(toKeys(z.strictObject({ a: z.string(), key: z.string() }))).toEqual([]);
    expect(toKeys(plain)).toEqual([]);
  });

  test("says whether a middleware declares an input", () => {
    const withFields = build(plain, checked);
    const plans = [planEndpoint(withFields, []), planEndpoint(endpoint, [])];
    expect(plans.map(({ hasMiddlewareInput }) => hasMiddlewareInput)).toEqual([true, false]);
  });
});
