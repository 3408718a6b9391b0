import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Logger } from "./logger.ts";
import { shareSamples, warnSampled } from "./sampling.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const createLogger = () => {
  const warn = vi.fn();
  const none = (): void => undefined;
  const logger: Logger = { debug: none, info: none, warn, error: none };
  return { logger, messages: () => warn.mock.calls.map(([message]: unknown[]) => message) };
};

test("logs each kind of warning at most once per second", () => {
  const { logger, messages } = createLogger();
  for (const [text, milliseconds] of [
    ["first", 999],
    ["too soon", 1],
    ["a second later", 0],
  ] as const) {
    warnSampled(logger, "kind", text, {});
    vi.advanceTimersByTime(milliseconds);
  }
  expect(messages()).toEqual(["first", "a second later"]);
});

test("a dropped warning does not delay the next one", () => {
  const { logger, messages } = createLogger();
  for (let turn = 0; turn < 20; turn++) {
    warnSampled(logger, "kind", `at ${turn * 100}`, {});
    vi.advanceTimersByTime(100);
  }
  expect(messages()).toEqual(["at 0", "at 1000"]);
});

test("two kinds of warnings, or two loggers, do not silence one another", () => {
  const [one, other] = [createLogger(), createLogger()];
  warnSampled(one.logger, "kind", "a", {});
  warnSampled(one.logger, "another kind", "b", {});
  warnSampled(other.logger, "kind", "c", {});
  warnSampled(one.logger, "kind", "too soon", {});
  expect([one.messages(), other.messages()]).toEqual([["a", "b"], ["c"]]);
});

test("the limit of one warning per second applies to all request loggers of a server together", () => {
  const { logger, messages } = createLogger();
  for (const text of ["first", "second"]) {
    const child = { ...logger };
    shareSamples(child, logger);
    warnSampled(child, "kind", text, {});
  }
  expect(messages()).toEqual(["first"]);
});
