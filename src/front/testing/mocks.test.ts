import { describe, expect, test, vi } from "vitest";
import { defaultEndpointsFactory as factory, type Logger } from "../../index.ts";
import { testEndpoint } from "./index.ts";

const fine = factory.build({ handler: async () => ({ fine: true }) });

/** Creates an endpoint that sends the given body with the given type. */
const sends = (...given: [type: string, body: string | Buffer]) =>
  factory.buildVoid({ handler: ({ response }) => response.type(given[0]).send(given[1]) });

describe("responseMock", () => {
  test("returns the body as a string, as bytes and as JSON", async () => {
    const { responseMock } = await testEndpoint({ endpoint: fine });
    const text = '{"status":"success","data":{"fine":true}}';
    expect(responseMock._getData()).toBe(text);
    expect(responseMock._getBuffer()).toEqual(Buffer.from(text));
    expect(responseMock._getJSONData()).toEqual({ status: "success", data: { fine: true } });
    const bytes = Buffer.from([0, 200, 255]);
    const binary = await testEndpoint({ endpoint: sends("png", bytes) });
    expect(binary.responseMock._getBuffer()).toEqual(bytes);
  });

  test.each([
    ["<b>no</b>", "It is: <b>no</b>"],
    ["", "It is: (empty)"],
    ["x".repeat(200), `It is: ${"x".repeat(200)}`],
    ["x".repeat(201), `It is: ${"x".repeat(200)}…`],
  ])("describes a body that is not JSON: %s", async (body, shown) => {
    const { responseMock } = await testEndpoint({ endpoint: sends("html", body) });
    expect(() => responseMock._getJSONData()).toThrow(
      new Error(`The body of the response is not JSON; read it with _getData(). ${shown}`),
    );
  });

  test.each([
    ["application/json", true],
    ["application/problem+json", true],
    ["Application/JSON; charset=utf-8", true],
    ["text/html", false],
    ["text/json-like", false],
    ["application/jsonl", false],
  ])("determines whether a body is JSON from its media type: %s", async (type, isJson) => {
    const { responseMock } = await testEndpoint({ endpoint: sends(type, "{}") });
    expect(responseMock._isJSON()).toBe(isJson);
  });

  test("does not treat application/json-seq as JSON", async () => {
    const { responseMock } = await testEndpoint({ endpoint: sends("application/json-seq", "{}") });
    expect(responseMock._isJSON()).toBe(false);
  });

  test("returns headers by lower-case name, without connection headers", async () => {
    const endpoint = factory.buildVoid({
      handler: ({ response }) => response.set("X-A", "1").cookie("a", "1").cookie("b", "2").end(),
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getHeaders()).toEqual({
      "x-a": "1",
      "content-length": "0",
      "set-cookie": ["a=1; Path=/", "b=2; Path=/"],
    });
  });

  test("shows a connection header that the handler has set", async () => {
    const endpoint = factory.buildVoid({
      handler: ({ response }) => response.set("Connection", "close").end(),
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getHeaders()).toHaveProperty("connection", "close");
  });

  test("returns the redirect target", async () => {
    const endpoint = factory.buildVoid({
      handler: ({ response }) => response.redirect(308, "/new"),
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getRedirectUrl()).toBe("/new");
    expect(responseMock._getStatusCode()).toBe(308);
    expect((await testEndpoint({ endpoint: fine })).responseMock._getRedirectUrl()).toBe("");
  });

  test.each([
    [299, ""],
    [300, "/new"],
    [399, "/new"],
    [400, ""],
  ])("treats only a status of 300 to 399 as a redirect: %i", async (status, url) => {
    const endpoint = factory.buildVoid({
      handler: ({ response }) => response.location("/new").status(status).end(),
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getRedirectUrl()).toBe(url);
  });

  test("does not treat the location of a created resource as a redirect", async () => {
    const endpoint = factory.build({
      handler: async ({ response }) => void response.status(201).location("/things/7"),
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getRedirectUrl()).toBe("");
  });

  test("reports whether the response was ended or cut off", async () => {
    const { responseMock: whole } = await testEndpoint({ endpoint: fine });
    expect([whole._isEndCalled(), whole._isCut()]).toEqual([true, false]);
    const endpoint = factory.buildVoid({
      handler: async ({ response }) => {
        response.write("half");
        await new Promise((resolve) => setTimeout(resolve, 10));
        throw new Error("no more");
      },
    });
    const { responseMock: half } = await testEndpoint({ endpoint });
    expect([half._isEndCalled(), half._isCut(), half._getData()]).toEqual([false, true, "half"]);
  });

  test("reports that the response was cut off if none of it reaches the client", async () => {
    const endpoint = factory.buildVoid({ handler: ({ response }) => response.destroy() });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._isCut()).toBe(true);
  });
});

describe("loggerMock", () => {
  const logs = factory.build({
    handler: async ({ logger }) => {
      logger.info("hi", { a: 1 });
      logger.info("again");
      return {};
    },
  });

  test("returns the arguments of each line, by severity", async () => {
    const { loggerMock } = await testEndpoint({ endpoint: logs });
    expect(loggerMock._getLogs()).toEqual({
      ...{ debug: [], info: [["hi", { a: 1 }], ["again"]], warn: [], error: [] },
    });
  });

  test("has a line from the framework for a failure, but none for a success", async () => {
    expect((await testEndpoint({ endpoint: fine })).loggerMock._getLogs()).toEqual({
      ...{ debug: [], info: [], warn: [], error: [] },
    });
    const error = new Error("broken");
    const endpoint = factory.build({ handler: () => Promise.reject(error) });
    const { loggerMock } = await testEndpoint({ endpoint, requestProps: { url: "/a?secret=1" } });
    expect(loggerMock._getLogs().error).toEqual([
      ["Server fault", { method: "GET", path: "/a", error }],
    ]);
  });

  test("keeps the lines of each run apart", async () => {
    const [first, second] = await Promise.all([
      testEndpoint({ endpoint: logs }),
      testEndpoint({ endpoint: fine }),
    ]);
    expect(first.loggerMock._getLogs().info).toHaveLength(2);
    expect(second.loggerMock._getLogs().info).toEqual([]);
  });

  test("records the four severities, and keeps the other members that the test provides", async () => {
    const info = vi.fn();
    const child = vi.fn(() => "child");
    const props = Object.freeze({ info, child, level: "trace" });
    const { loggerMock } = await testEndpoint({ endpoint: logs, loggerProps: props });
    expect(info).not.toHaveBeenCalled();
    expect(loggerMock._getLogs().info).toHaveLength(2);
    expect([loggerMock.level, loggerMock.child()]).toEqual(["trace", "child"]);
  });

  /** A logger class such as an application may define. */
  class AppLogger {
    readonly name = "app";
    readonly written: string[] = [];
    get label(): string {
      return `[${this.name}]`;
    }
    child(suffix: string): string {
      return `${this.label} ${suffix}`;
    }
    info(message: string): void {
      this.written.push(message);
    }
  }

  test("keeps the methods and getters of a class instance", async () => {
    const endpoint = factory.build({
      handler: async ({ logger }) => {
        logger.info("recorded");
        return { child: (logger as Logger & AppLogger).child("x") };
      },
    });
    const loggerProps = new AppLogger();
    const result = await testEndpoint({ endpoint, loggerProps });
    expect(result.responseMock._getJSONData()).toMatchObject({ data: { child: "[app] x" } });
    expect(result.loggerMock).toBeInstanceOf(AppLogger);
    expect(result.loggerMock._getLogs().info).toEqual([["recorded"]]);
    expect(loggerProps.written).toEqual([]);
  });

  test("keeps the methods of an instance that has private members", async () => {
    class Private {
      readonly #name = "private";
      getName(): string {
        return this.#name;
      }
    }
    const { loggerMock } = await testEndpoint({ endpoint: logs, loggerProps: new Private() });
    expect(loggerMock.getName()).toBe("private");
  });

  test("records lines even if an instance defines its severities as getters", async () => {
    class Getters {
      get info(): () => void {
        return () => undefined;
      }
    }
    const { loggerMock } = await testEndpoint({ endpoint: logs, loggerProps: new Getters() });
    expect(loggerMock._getLogs().info).toHaveLength(2);
  });

  test("records lines that the test's own members log through `this`", async () => {
    const props = {
      info: (_message: string) => undefined,
      audit(message: string): void {
        this.info(`audit: ${message}`);
      },
    };
    const { loggerMock } = await testEndpoint({ endpoint: fine, loggerProps: props });
    loggerMock.audit("x");
    expect(loggerMock._getLogs().info).toEqual([["audit: x"]]);
  });

  test("lets a test spy on its members", async () => {
    const { loggerMock } = await testEndpoint({ endpoint: fine, loggerProps: new AppLogger() });
    const spy = vi.spyOn(loggerMock, "child").mockReturnValue("spied");
    expect([loggerMock.child("x"), spy.mock.calls]).toEqual(["spied", [["x"]]]);
  });

  test("has what the code under test writes to its members", async () => {
    const endpoint = factory.build({
      handler: ({ logger }) => Object.assign(logger, { level: "debug" }) && {},
    });
    const { loggerMock } = await testEndpoint({ endpoint, loggerProps: { level: "info" } });
    expect([loggerMock.level, loggerMock._getLogs().error]).toEqual(["debug", []]);
  });

  test("has the lines of the request's logger and of the access log", async () => {
    const { loggerMock } = await testEndpoint({
      endpoint: logs,
      requestProps: { url: "/here", id: "r1" },
      configProps: {
        childLoggerProvider: ({ parent, request }) => ({
          ...parent,
          info: (message: string) => parent.info(`${request.id}: ${message}`),
        }),
        accessLogger: ({ url }, logger) => logger.info(`came to ${url}`),
      },
    });
    expect(loggerMock._getLogs().info).toEqual([
      ...[["r1: hi"], ["r1: again"], ["r1: came to /here"]],
    ]);
  });
});
