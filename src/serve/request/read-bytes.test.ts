import { PassThrough } from "node:stream";
import type { Request, Response } from "express";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { readBytes, startPauseTimer } from "./read-bytes.ts";

afterEach(() => void vi.useRealTimers());

const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3000,
});

test("returns the received bytes, whatever chunks they arrive in", async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const request = Object.assign(new PassThrough(), { headers: {}, complete: true });
      const reading = readBytes(request as unknown as Request, {} as Response, 1e6, 1000);
      for (const part of parts) request.write(part);
      request.end();
      expect((await reading).equals(Buffer.concat(parts))).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test.each([
  ["a client that pauses", {}, 1],
  ["a body that waits for a disk", { isPaused: () => true }, 0],
  ["a complete body", { complete: true }, 0],
])("only a client that pauses is reported: %s", (_name, state, times) => {
  vi.useFakeTimers();
  const onPause = vi.fn();
  const request = { isPaused: () => false, complete: false, ...state };
  const timer = startPauseTimer(request as unknown as Request, 800, onPause);
  vi.advanceTimersByTime(799);
  timer.refresh();
  vi.advanceTimersByTime(799);
  expect(onPause).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5000);
  expect(onPause).toHaveBeenCalledTimes(times);
  clearTimeout(timer);
});
