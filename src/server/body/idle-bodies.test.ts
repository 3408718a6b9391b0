import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleBodies } from "./idle-bodies.ts";

/** Creates the inspected parts of a request. */
const createRequest = () => {
  const state = { bytesRead: 0, isPaused: false, complete: false };
  const request = {
    socket: {
      get bytesRead() {
        return state.bytesRead;
      },
    },
    isPaused: () => state.isPaused,
    get complete() {
      return state.complete;
    },
  } as unknown as IncomingMessage;
  return { state, request };
};

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

test("reports a stalled body once, after at least the limit and at most a quarter more", () => {
  const idle = new IdleBodies(800);
  const onIdle = vi.fn();
  idle.watch(createRequest().request, onIdle);
  vi.advanceTimersByTime(799);
  expect(onIdle).not.toHaveBeenCalled();
  // the first check, after an eighth of the limit, only starts the measurement
  vi.advanceTimersByTime(101);
  expect(onIdle).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(5000);
  expect(onIdle).toHaveBeenCalledTimes(1);
});

test.each([
  ["makes progress", { bytesRead: 1 }],
  ["waits for a disk", { isPaused: true }],
  ["is complete", { complete: true }],
])("ignores a body that %s", (_name, change) => {
  const idle = new IdleBodies(800);
  const onIdle = vi.fn();
  const { state, request } = createRequest();
  idle.watch(request, onIdle);
  for (let turn = 1; turn < 20; turn++) {
    Object.assign(state, change, "bytesRead" in change ? { bytesRead: turn } : {});
    vi.advanceTimersByTime(400);
  }
  expect(onIdle).not.toHaveBeenCalled();
});

test("uses one timer for all bodies, and none if there are no bodies", () => {
  const idle = new IdleBodies(800);
  const requests = Array.from({ length: 50 }, () => createRequest().request);
  const watched = requests.map((request) => idle.watch(request, () => undefined));
  expect(vi.getTimerCount()).toBe(1);
  for (const one of watched) idle.forget(one);
  vi.advanceTimersByTime(200);
  expect(vi.getTimerCount()).toBe(0);
});

test("reports all bodies except forgotten ones, in whatever order these were forgotten, even twice", () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      (keeps, ranks) => {
        const idle = new IdleBodies(800);
        const called: number[] = [];
        const watched = keeps.map((_keep, index) =>
          idle.watch(createRequest().request, () => called.push(index)),
        );
        const order = keeps
          .map((keep, index) => ({ keep, index, rank: ranks.next().value ?? 0 }))
          .toSorted((one, other) => one.rank - other.rank);
        for (const { keep, index } of order) {
          const one = watched[index];
          if (keep || !one) continue;
          idle.forget(one);
          idle.forget(one);
        }
        vi.advanceTimersByTime(5000);
        expect(called).toEqual(keeps.flatMap((keep, index) => (keep ? index : [])));
        expect(vi.getTimerCount()).toBe(0);
      },
    ),
  );
});
