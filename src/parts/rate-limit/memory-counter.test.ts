import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import type { Logger } from "../../basics/logger/logger.ts";
import { MemoryCounter } from "./memory-counter.ts";

const window = 1000;
const limit = 3;

const warn = vi.fn();
const none = (): void => undefined;
const logger: Logger = { debug: none, info: none, warn, error: none };

afterEach(() => {
  vi.useRealTimers();
  warn.mockClear();
});

/** What is done after some milliseconds: a request counts, or is taken back. */
const step = fc.record({
  wait: fc.constantFrom(0, 1, 300, 999, 1000, 1001, 5000),
  key: fc.constantFrom("a", "b", "c"),
  hits: fc.integer({ min: 1, max: 3 }),
  isBack: fc.boolean(),
});

test("each key has a window of its own, which begins with its first request", () => {
  vi.useFakeTimers();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const counter = new MemoryCounter("default", limit, window);
      const known = new Map<string, { hits: number; end: number }>();
      const counted: object[] = [];
      const expected: object[] = [];
      for (const { wait, key, hits, isBack } of steps) {
        vi.advanceTimersByTime(wait);
        const found = known.get(key);
        const isOpen = found !== undefined && found.end > performance.now();
        // a window that has ended has nothing to give back
        if (isBack && isOpen) {
          counter.remove(key, hits);
          found.hits = Math.max(0, found.hits - hits);
        } else if (!isBack) {
          const one = isOpen ? found : { hits: 0, end: performance.now() + window };
          one.hits += hits;
          known.set(key, one);
          expected.push({ ...one });
          counted.push({ ...counter.add(key, hits, logger) });
        }
      }
      expect(counted).toEqual(expected);
    }),
  );
});

test("keys whose windows have ended are forgotten", () => {
  vi.useFakeTimers();
  const counter = new MemoryCounter("default", limit, window);
  const first = counter.add("a", 1, logger);
  for (let turn = 0; turn < 2; turn++) {
    vi.advanceTimersByTime(window);
    counter.add("b", 1, logger);
  }
  expect(counter.add("a", 1, logger)).not.toBe(first);
});

test("the clock on the wall ends no window, and makes none longer", () => {
  vi.useFakeTimers();
  const counter = new MemoryCounter("default", limit, window);
  counter.add("a", 1, logger);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(counter.add("a", 1, logger).hits).toBe(2);
  vi.setSystemTime(Date.now() - 7_200_000);
  vi.advanceTimersByTime(window);
  expect(counter.add("a", 1, logger).hits).toBe(1);
});

test("of too many keys, the oldest below the limit are forgotten, with one warning", () => {
  vi.useFakeTimers();
  const counter = new MemoryCounter("default", limit, window);
  const countHits = (key: string): number => counter.add(key, 1, logger).hits;
  counter.add("refused", limit, logger);
  counter.add("open", 1, logger);
  const flood = (from: string, count: number): void => {
    for (let number = 0; number < count; number++) countHits(`${from}${number}`);
  };
  flood("a", 99_000);
  expect([countHits("refused"), countHits("open"), countHits("a0")]).toEqual([limit + 1, 2, 2]);
  expect(warn).not.toHaveBeenCalled();
  flood("b", 300_000);
  expect([countHits("refused"), countHits("open"), countHits("a0")]).toEqual([limit + 2, 1, 1]);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn).toHaveBeenCalledWith(expect.any(String), { name: "default" });
  vi.advanceTimersByTime(window);
  expect(countHits("refused")).toBe(1);
});

test("keys that have reached the limit are forgotten, too, if there are too many of them", () => {
  const counter = new MemoryCounter("default", 1, window);
  for (let number = 0; number < 300_000; number++) counter.add(`${number}`, 1, logger);
  expect(counter.add("0", 1, logger).hits).toBe(1);
  expect(counter.add("299999", 1, logger).hits).toBe(2);
});
