import fc from "fast-check";
import { createClient } from "sallyport/client";
import { describe, test } from "vitest";
import { pairs, sendPairs, type AnyClient, type Place } from "../http/client-round-trips.ts";

const places: readonly Place[] = [
  ...(["path", "query", "extended", "header", "json", "multipart", "raw"] as const),
];
const perPlace = Math.ceil(5000 / places.length);

describe("5,000 pairs of endpoint and input: what a client is given is what the handler receives", () => {
  test.each(places)("%s", async (place) => {
    const perServer = 50;
    await fc.assert(
      fc.asyncProperty(
        fc.array(pairs(place), { minLength: perServer, maxLength: perServer }),
        (given) =>
          sendPairs(given, async (options) => [createClient(options) as unknown as AnyClient]),
      ),
      { numRuns: Math.ceil(perPlace / perServer) },
    );
  });
});
