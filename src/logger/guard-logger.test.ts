import { expect, test } from "vitest";
import { guardLogger } from "./guard-logger.ts";
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

test("a guarded logger can be spread into another one, methods of a class included", () => {
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

test("a logger that throws costs nothing", () => {
  const broken: Logger = {
    debug: () => undefined,
    info: () => {
      throw new Error("EPIPE");
    },
    warn: async () => Promise.reject(new Error("EPIPE")),
    error: () => undefined,
  };
  const guarded = guardLogger(broken);
  expect(() => [guarded.info("a"), guarded.warn("b")]).not.toThrow();
});
