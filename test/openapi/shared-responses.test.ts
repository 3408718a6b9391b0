import {
  arrayEndpointsFactory,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  problemEndpointsFactory,
  ResultHandler,
  type Routing,
} from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { rateLimit } from "sallyport/rate-limit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generate } from "./generate.ts";

const handler = () => ({});
const keyed = idempotency({ store: memoryStore(), scope: () => 1 });

/** Lists the names of the responses that operations share. */
const namesOf = (routing: Routing) =>
  Object.keys(generate(routing).components?.["responses"] ?? {});

describe("A shared response is named after", () => {
  const limited = factory.addMiddleware(rateLimit({ limit: 2 }));
  test.each<[string, Routing, string]>([
    ["its status", { a: factory.build({ handler }) }, ""],
    ["problem details", { a: problemEndpointsFactory.build({ handler }) }, "Problem"],
    ["plain text", { a: arrayEndpointsFactory.build({ handler: () => ({ items: [1] }) }) }, "Text"],
    ["its header fields", { a: limited.build({ handler }) }, "WithRateLimit"],
    [
      "those of several middlewares",
      { "post a": limited.addMiddleware(keyed).build({ handler }) },
      "WithRateLimitAndIdempotencyReplayed",
    ],
    [
      "its body and its header fields",
      {
        a: problemEndpointsFactory.addMiddleware(rateLimit({ limit: 2 })).build({ handler }),
      },
      "ProblemWithRateLimit",
    ],
  ])("%s", (_name, routing, suffix) => {
    expect(namesOf(routing)).toContain(`InternalServerError${suffix}`);
  });

  test("all of these, whatever comes first, and has a number only if nothing else tells", () => {
    const own = new EndpointsFactory(
      new ResultHandler({
        positive: (data) => data,
        negative: z.object({ why: z.string() }),
        handler: () => undefined,
      }),
    );
    const endpoints: Routing = {
      a: factory.build({ handler }),
      b: own.build({ handler }),
      c: problemEndpointsFactory.build({ handler }),
      d: factory.addMiddleware(rateLimit({ limit: 1 })).build({ handler }),
    };
    const expected = ["", "2", "Problem", "WithRateLimit"].map(
      (one) => `InternalServerError${one}`,
    );
    expect(namesOf(endpoints)).toEqual(expected);
    const reversed: Routing = Object.fromEntries(Object.entries(endpoints).toReversed());
    expect(namesOf(reversed)).toEqual(expected);
  });
});
