import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createConsoleLogger, isSilenced, logLevels } from "./console-logger.ts";
import { severities } from "./logger.ts";

const print = vi.spyOn(console, "log");
beforeEach(() => void print.mockReset().mockReturnValue(undefined));
afterEach(() => void vi.unstubAllEnvs());

const printed = (): string[] => print.mock.calls.map(([line]) => String(line));

describe("the level", () => {
  const hear = (logger: ReturnType<typeof createConsoleLogger>): string[] => {
    for (const severity of severities) logger[severity]("said");
    return severities.filter((severity) => !isSilenced(logger, severity));
  };

  test.each([
    ["silent", 0],
    ["error", 1],
    ["warn", 2],
    ["info", 3],
    ["debug", 4],
  ] as const)("%s: %i severities are printed", (level, count) => {
    const heard = hear(createConsoleLogger({ level, color: false }));
    expect([printed().length, heard.length]).toEqual([count, count]);
    const severe = logLevels.slice(1, count + 1);
    expect(heard.toSorted()).toEqual([...severe].toSorted());
  });

  test.each([
    ["production", 2],
    ["development", 4],
    ["", 4],
  ])("depends on NODE_ENV if none is given (%j)", (environment, count) => {
    vi.stubEnv("NODE_ENV", environment);
    expect(hear(createConsoleLogger())).toHaveLength(count);
  });
});

describe("a line", () => {
  test.each([
    ["debug", 34],
    ["info", 32],
    ["warn", 33],
    ["error", 31],
  ] as const)("shows the severity %s in the right colour", (severity, code) => {
    createConsoleLogger({ color: true })[severity]("said");
    expect(printed()[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /);
    expect(printed()[0]?.slice(25)).toBe(`\u001b[${code}m${severity}\u001b[39m: said`);
  });

  const levels = { a: { b: { c: { d: { e: 1 } } } } };
  test.each([
    [undefined, "{ a: { b: { c: [Object] } } }"],
    [0, "{ a: [Object] }"],
    [1, "{ a: { b: [Object] } }"],
    [null, "{ a: { b: { c: { d: { e: 1 } } } } }"],
  ])("shows objects to the depth %s, on one line", (depth, text) => {
    createConsoleLogger({ color: false, depth }).info("said", levels);
    createConsoleLogger({ color: false, depth }).info("said");
    expect(printed().map((line) => line.slice(25))).toEqual([`info: said ${text}`, "info: said"]);
  });

  test.each([0x00, 0x1f, 0x7f, 0x9f, 0x2028, 0x2029])(
    "shows the control character %i as an escape",
    (code) => {
      const character = String.fromCodePoint(code);
      createConsoleLogger({ color: false }).info(`a${character}b`, character);
      const escape = `\\u${code.toString(16).padStart(4, "0")}`;
      expect(printed()[0]?.slice(25)).toContain(`info: a${escape}b`);
      expect(printed()[0]).not.toContain(character);
    },
  );

  test.each([0x20, 0x7e, 0xa0, 0x2027, 0x202a])("leaves the character %i unescaped", (code) => {
    const text = `a${String.fromCodePoint(code)}b`;
    createConsoleLogger({ color: false }).info(text);
    expect(printed()[0]?.slice(25)).toBe(`info: ${text}`);
  });

  test("shows the stack of an error, with each further line indented", () => {
    createConsoleLogger({ color: false }).error("failed", new Error("why"));
    const [first = "", ...others] = (printed()[0] ?? "").split("\n");
    expect(first).toContain("error: failed Error: why");
    expect(others.length).toBeGreaterThan(1);
    for (const line of others) expect(line).toMatch(/^ {6}at /);
  });

  test.each([
    ["an error", (error: Error) => ({ error, path: "/" })],
    ["an error alone", (error: Error) => error],
    ["a cause", (error: Error) => ({ error: new Error("outer", { cause: error }), path: "/" })],
  ])("shows the begin and the end of a long stack: %s", (_what, wrap) => {
    const error = new TypeError(`begin ${"x\n".repeat(500_000)} end`);
    createConsoleLogger({ color: false }).error("failed", wrap(error));
    const [line = ""] = printed();
    expect(line.length).toBeLessThan(60_000);
    expect(line).toContain("TypeError: begin x");
    expect(line).toMatch(/… \d{6} more characters …/);
    expect(line).toContain("console-logger.test.ts");
    expect(error.message).toHaveLength(1_000_010);
  });

  test("shows the begin and the end of a long message", () => {
    createConsoleLogger({ color: false }).error(`begin${"\u001b".repeat(1_000_000)}end`);
    const [line = ""] = printed();
    expect(line).toMatch(/error: begin(?:\\u001b)+… 990008 more characters …(?:\\u001b)+end$/);
  });

  test("prints an error that is its own cause, and properties that throw", () => {
    const error = Object.assign(new Error(`loop${"x".repeat(20_000)}`), { query: "q" });
    error.cause = error;
    const meta = Object.defineProperty({ error }, "thrower", {
      enumerable: true,
      get: expect.unreachable,
    });
    createConsoleLogger({ color: false }).error("failed", meta);
    expect(printed()[0]).toContain("query: 'q'");
    expect(printed()[0]).toContain("thrower: [Getter]");
  });

  class Kept extends Error {
    readonly #secret = "kept outside";
    override name = "Kept";
    [Symbol.for("nodejs.util.inspect.custom")](): string {
      return this.#secret;
    }
  }
  test.each<[object, string]>([
    [new Map([[1, 2]]), "Map(1) { 1 => 2 }"],
    [[1, 2], "[ 1, 2 ]"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [Buffer.from("ab"), "<Buffer 61 62>"],
    [new URL("http://a/b"), "href: 'http://a/b'"],
    [new Kept("x".repeat(20_000)), "kept outside"],
    [{ error: new Kept("x".repeat(20_000)) }, "{ error: kept outside }"],
  ])("prints what is no plain object as `inspect` does: %o", (meta, text) => {
    createConsoleLogger({ color: false }).info("said", meta);
    expect(printed()[0]).toContain(text);
  });

  test("does not throw if it cannot be printed", () => {
    print.mockImplementation(() => {
      throw new Error("EPIPE");
    });
    expect(() => createConsoleLogger().info("said")).not.toThrow();
  });
});
