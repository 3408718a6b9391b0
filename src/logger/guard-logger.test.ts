import { expect, test, vi } from "vitest";
import { guardLogger, toChild, toParent } from "./guard-logger.ts";
import type { Logger } from "./logger.ts";

class Custom {
  readonly lines: string[] = [];
  readonly level = "info";
  debug(message: string): void {
    this.lines.push(`debug ${message}`);
  }
  info(message: string): void {
    this.lines.push(`info ${message}`);
  }
  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }
  error(message: string): void {
    this.lines.push(`error ${message}`);
  }
}

test("a guarded logger can be spread into another logger, even if its methods come from a class", () => {
  const custom = new Custom();
  const child: Logger = {
    ...guardLogger(custom),
    info: (message) => custom.info(`[r1] ${message}`),
  };
  child.info("one");
  child.error("two");
  expect(custom.lines).toEqual(["info [r1] one", "error two"]);
  expect(Object.keys(guardLogger(custom)).toSorted()).toEqual(
    ["debug", "info", "warn", "error", "lines", "level"].toSorted(),
  );
});

test("a guarded logger never throws", () => {
  const broken: Logger = {
    debug: () => undefined,
    info: () => {
      throw new Error("EPIPE");
    },
    warn: async () => Promise.reject(new Error("EPIPE")),
    error: () => undefined,
  };
  const guarded = guardLogger(broken);
  const own = Object.assign(new Custom(), { child: () => broken });
  for (const logger of [guarded, { ...guarded }, toParent(guardLogger(own)).child({})])
    expect(() => [logger.info("a"), logger.warn("b")]).not.toThrow();
});

test.each([
  [undefined, { a: 1 }],
  [5, { a: 1, meta: 5 }],
  [null, { a: 1, meta: null }],
  [{ b: 2 }, { a: 1, b: 2 }],
])("a child logger adds its fields to the meta value %j", (meta, expected) => {
  const info = vi.fn();
  const none = (): void => undefined;
  toChild({ debug: none, info, warn: none, error: none }, { a: 1 }).info("said", meta);
  expect(info.mock.calls).toStrictEqual([["said", expected]]);
});

test("a logger with its own `child` method creates its child loggers itself", () => {
  const child = vi.fn(() => new Custom());
  const parent = Object.assign(new Custom(), { child });
  expect(toParent(parent)).toBe(parent);
  toParent(guardLogger(parent)).child({ a: 1 });
  expect(child).toHaveBeenCalledExactlyOnceWith({ a: 1 });
});

test("the property descriptors of a guarded logger match its members", () => {
  const guarded = guardLogger(new Custom());
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(guarded)))
    expect([key, value]).toEqual([key, Reflect.get(guarded, key)]);
});
