import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { drops, guardLogger, toChild, toParent } from "./guard-logger.ts";
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

const createLogger = () => {
  const none = (): void => undefined;
  return { debug: none, info: vi.fn<(...line: unknown[]) => void>(), warn: none, error: none };
};

test("what is written to a guarded logger reaches the logger, by assignment, definition or deletion", () => {
  const logger = Object.assign(createLogger(), { level: "info", tenant: "a" });
  const guarded = guardLogger(logger) as unknown as Record<string, unknown>;
  guarded["level"] = "debug";
  Object.defineProperty(guarded, "isChild", { value: true });
  Object.defineProperty(guarded, "isFixed", { value: 1, configurable: false });
  delete guarded["tenant"];
  for (const one of [guarded, logger] as object[]) {
    expect(one).toMatchObject({ level: "debug", isChild: true, isFixed: 1 });
    expect(["isChild" in one, "isFixed" in one, "tenant" in one]).toEqual([true, true, false]);
  }
});

test.each([
  ["assigned", (logger: object, info: unknown) => Reflect.set(logger, "info", info)],
  [
    "defined",
    (logger: object, value: unknown) => Reflect.defineProperty(logger, "info", { value }),
  ],
])("a method that is %s in place of another is used, and may call that one", (_how, replace) => {
  const logger = createLogger();
  const guarded = guardLogger(logger);
  const { info } = guarded;
  replace(guarded, (message: string) => info(`[a] ${message}`));
  guarded.info("said");
  expect(logger.info.mock.calls).toEqual([["[a] said"]]);
  replace(guarded, () => {
    throw new Error("EPIPE");
  });
  expect(() => guarded.info("said")).not.toThrow();
});

test("a method of a guarded logger can be spied on", () => {
  const guarded = guardLogger(createLogger());
  vi.spyOn(guarded, "info");
  guarded.info("said");
  expect(guarded.info).toHaveBeenCalledExactlyOnceWith("said");
});

test("an object that inherits from a guarded logger keeps what is written to it", () => {
  const logger = createLogger();
  const heir = Object.create(guardLogger(logger)) as Record<string, unknown>;
  heir["info"] = () => undefined;
  heir["level"] = "debug";
  (heir["info"] as () => void)();
  expect(logger.info).not.toHaveBeenCalled();
  expect([heir["level"], "level" in logger]).toEqual(["debug", false]);
});

test("a frozen logger can be guarded, and refuses what is written to it", () => {
  const logger = Object.freeze({ ...createLogger(), level: "info" });
  const guarded = guardLogger(logger);
  guarded.info("said");
  expect(logger.info).toHaveBeenCalledExactlyOnceWith("said");
  expect(() => Object.assign(guarded, { level: "debug" })).toThrow(TypeError);
  expect({ ...guarded }).toMatchObject({ level: "info" });
});

test("a logger without a `child` of its own shares its members with the loggers made from it", () => {
  const logger = new Custom();
  const parent = toParent(guardLogger(logger));
  const child = toParent(parent.child({ a: 1 })).child({ b: 2 });
  Object.assign(child, { tenant: "t" });
  expect(logger).toMatchObject({ tenant: "t" });
  expect(child).toBeInstanceOf(Custom);
  child.info("said");
  expect(logger.lines).toEqual(["info said"]);
});

test("the level that is set on a child of pino decides what the child writes", () => {
  const lines: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  const child = toParent(guardLogger(logger)).child({ a: 1 });
  Object.assign(child, { level: "debug" });
  child.debug("details", { b: 2 });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { a: 1, b: 2, msg: "details" },
  ]);
});

test.each([
  ["has a value for any name", () => () => undefined],
  [
    "throws for unknown names",
    (name: PropertyKey) => {
      if (["debug", "info", "warn", "error"].includes(String(name))) return () => undefined;
      throw new Error(`no member ${String(name)}`);
    },
  ],
])("a logger that %s is guarded", (_what, get: (name: PropertyKey) => unknown) => {
  const logger = new Proxy({}, { get: (_target, name) => get(name) }) as Logger;
  expect(drops(logger, "debug")).toBe(false);
  const guarded = guardLogger(logger);
  expect(guarded === logger).toBe(false);
  expect(drops(guarded, "debug")).toBe(false);
  expect(() => void guarded.info("said")).not.toThrow();
});

test("a guarded logger can be sealed", () => {
  const logger = createLogger();
  const guarded = Object.preventExtensions(guardLogger(logger));
  guarded.info("said");
  expect(logger.info).toHaveBeenCalledExactlyOnceWith("said");
});
