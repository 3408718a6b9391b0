import fc from "fast-check";
import * as entry from "sallyport";
import { expect, onTestFinished, test } from "vitest";
import { sequences, shorten, startPair } from "./reply-sequences.ts";

test("R24: whatever code does to a response, the same whole replies are sent with and without shortcuts", async () => {
  const pair = await startPair(entry);
  onTestFinished(async () => void (await pair.close()));
  const property = fc.asyncProperty(sequences, async (sequence) => {
    const fault = await pair.findFault(sequence);
    if (fault) throw new Error(shorten(fault));
  });
  await expect(fc.assert(property, { numRuns: 150 })).resolves.toBeUndefined();
});
