import { expect, test, vi } from "vitest";
import { Stoppables } from "./stoppables.ts";

test("every subscriber is notified of a shutdown once, even if it subscribes afterwards", () => {
  const all = new Stoppables();
  const [early, gone, late] = [vi.fn(), { stop: vi.fn() }, vi.fn()];
  all.add({ stop: early });
  all.add(gone);
  all.delete(gone);
  expect(all.reason).toBeUndefined();
  all.stop();
  all.add({ stop: late });
  expect(late).toHaveBeenCalledOnce();
  const first = all.reason;
  expect(first).toMatchObject({ code: "SLP_SHUTTING_DOWN", statusCode: 503 });
  all.stop();
  expect(early.mock.calls).toEqual([[first]]);
  expect(late.mock.calls).toEqual([[first]]);
  expect(gone.stop).not.toHaveBeenCalled();
});
