import fc from "fast-check";
import { describe, test } from "vitest";
import { createBoth, pairs, sendPairs, type Place } from "./round-trips.ts";

const places: readonly Place[] = [
  ...(["path", "query", "extended", "form", "header", "json", "multipart", "raw"] as const),
];
const perPlace = Math.ceil(500 / places.length);

describe("the handler receives what the client was given, and the client receives what the handler returned", () => {
  test.each(places)("with the input sent as %s", { timeout: 60_000 }, async (place) => {
    const perServer = 12;
    await fc.assert(
      fc.asyncProperty(
        fc.array(pairs(place), { minLength: perServer, maxLength: perServer }),
        (given) => sendPairs(given, createBoth),
      ),
      { numRuns: Math.ceil(perPlace / perServer) },
    );
  });
});
