import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { MemoryCounter } from "./memory-counter.ts";

const window = 1000;

afterEach(() => {
  vi.useRealTimers();
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
      const counter = new MemoryCounter(window);
      const known = new Map<string, { hits: number; end: number }>();
      const counted: object[] = [];
      const expected: object[] = [];
      for (const { wait, key, hits, isBack } of steps) {
        vi.advanceTimersByTime(wait);
        const found = known.get(key);
        const isOpen = found !== undefined && found.end > Date.now();
        // a window that has ended has nothing to give back
        if (isBack && isOpen) {
          counter.remove(key, hits);
          found.hits = Math.max(0, found.hits - hits);
        } else if (!isBack) {
          const one = isOpen ? found : { hits: 0, end: Date.now() + window };
          one.hits += hits;
          known.set(key, one);
          expected.push({ ...one });
          counted.push({ ...counter.add(key, hits) });
        }
      }
      expect(counted).toEqual(expected);
    }),
  );
});

test("keys whose windows have ended are forgotten", () => {
  vi.useFakeTimers();
  const counter = new MemoryCounter(window);
  const first = counter.add("a", 1);
  for (let turn = 0; turn < 2; turn++) {
    vi.advanceTimersByTime(window);
    counter.add("b", 1);
  }
  expect(counter.add("a", 1)).not.toBe(first);
});
