import fc from "fast-check";
import { describe, test } from "vitest";
import { createBoth, pairs, sendPairs, type Place } from "../http/client/round-trips.ts";

const places: readonly Place[] = [
  ...(["path", "query", "extended", "form", "header", "json", "multipart", "raw"] as const),
];
const seed = Number(process.env["SALLYPORT_SEED"] ?? Date.now() % 1_000_000);
const perPlace = Math.ceil(5000 / places.length);

describe("with 5,000 random endpoints and inputs, the handler receives what the client was given, sent as", () => {
  test.each(places)("%s", async (place) => {
    const perServer = 50;
    await fc.assert(
      fc.asyncProperty(
        fc.array(pairs(place), { minLength: perServer, maxLength: perServer }),
        (given) => sendPairs(given, createBoth),
      ),
      { numRuns: Math.ceil(perPlace / perServer), seed },
    );
  });
});
