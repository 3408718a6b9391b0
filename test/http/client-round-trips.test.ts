import fc from "fast-check";
import { createClient } from "sallyport/client";
import { describe, test } from "vitest";
import { pairs, sendPairs, type AnyClient, type Place } from "./client-round-trips.ts";

const places: readonly Place[] = [
  ...(["path", "query", "extended", "header", "json", "multipart", "raw"] as const),
];
const perPlace = Math.ceil(500 / places.length);

describe("what a client is given is what the handler receives, and back", () => {
  test.each(places)("%s", { timeout: 60_000 }, async (place) => {
    const perServer = 12;
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
