import { expect, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory } from "../endpoint/endpoints-factory.ts";
import { LazyPlan, planEndpoint } from "./endpoint-plan.ts";

const endpoint = factory.build({
  method: "post",
  input: z.object({ a: z.string() }),
  handler: () => ({}),
});

test("a plan is frozen, so that no request can change those after it", () => {
  expect(planEndpoint(endpoint, ["body"])).toSatisfy(Object.isFrozen);
});

test("a plan is made when it is first read, and once", () => {
  const lazy = new LazyPlan(endpoint, ["body"], { requestTimeout: 5, handlerTimeout: 3 }, "/a/:b");
  const { plan } = lazy;
  expect(lazy.plan).toBe(plan);
  expect([plan.timeout, plan.handlerTimeout, plan.body]).toEqual([5, 3, "parsed"]);
  expect([plan.sources, lazy.route]).toEqual([["body"], { path: "/a/:b" }]);
});
