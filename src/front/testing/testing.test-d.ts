import type { Express, Response as ExpressResponse } from "express";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  defaultEndpointsFactory as factory,
  Middleware,
  type Logger,
  type Request as SallyportRequest,
} from "../../index.ts";
import type { RequestProps } from "./index.ts";
import {
  testEndpoint,
  testMiddleware,
  testServer,
  type JsonData,
  type LoggerMock,
  type Logs,
  type ResponseMock,
} from "./index.ts";

const endpoint = factory.build({
  method: ["get", "post"],
  input: z.object({ id: z.string() }),
  handler: async ({ input }) => input,
});

interface User {
  readonly id: number;
}
const auth = new Middleware({
  input: z.object({ key: z.string() }),
  handler: async (): Promise<{ user: User; roles: readonly ["admin"] }> => ({
    ...{ user: { id: 1 }, roles: ["admin"] },
  }),
});
const greet = new Middleware<{ user: User }, { greeting: string }>({
  handler: async ({ ctx }) => ({ greeting: String(ctx.user.id) }),
});
const silent = new Middleware({ handler: async () => {} });
const sometimes = new Middleware({
  handler: async ({ request }) => (request.xhr ? { xhr: true } : undefined),
});

class AppLogger {
  readonly #name = "app";
  readonly depth: number = 3;
  child(suffix: string): string {
    return this.#name + suffix;
  }
  info(message: string): void {
    void message;
  }
}

describe("testEndpoint", () => {
  test("returns an Express request, an Express response and the logger", async () => {
    const result = await testEndpoint({ endpoint });
    expectTypeOf(result.requestMock).toEqualTypeOf<SallyportRequest>();
    expectTypeOf(result.responseMock).toEqualTypeOf<ResponseMock>();
    expectTypeOf(result.responseMock).toExtend<ExpressResponse>();
    expectTypeOf(result.loggerMock).toExtend<Logger>();
    expectTypeOf<keyof typeof result>().toEqualTypeOf<
      "requestMock" | "responseMock" | "loggerMock"
    >();
  });

  test("returns no value of type `any`", async () => {
    const { requestMock, responseMock, loggerMock } = await testEndpoint({ endpoint });
    expectTypeOf(requestMock).not.toBeAny();
    expectTypeOf(responseMock).not.toBeAny();
    expectTypeOf(loggerMock).not.toBeAny();
    expectTypeOf(loggerMock.info).not.toBeAny();
    expectTypeOf(responseMock._getJSONData()).toEqualTypeOf<JsonData>();
    expectTypeOf(responseMock._getJSONData()["data"]?.["id"]).toEqualTypeOf<JsonData | undefined>();
    // @ts-expect-error -- the type of a part is not known
    const id: string = responseMock._getJSONData()["data"];
    const named: { readonly id: string } = responseMock._getJSONData();
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- an assertion names the type, too
    expectTypeOf(responseMock._getJSONData() as { n: 1 }).toEqualTypeOf<{ n: 1 }>();
    void [id, named];
    expectTypeOf(responseMock._getStatusCode()).toEqualTypeOf<number>();
    expectTypeOf(responseMock._getHeaders()).toEqualTypeOf<
      Readonly<Record<string, string | string[]>>
    >();
    expectTypeOf(responseMock._getData()).toEqualTypeOf<string>();
    expectTypeOf(responseMock._getBuffer()).toEqualTypeOf<Buffer>();
    expectTypeOf(responseMock._isJSON()).toEqualTypeOf<boolean>();
    expectTypeOf(responseMock._isEndCalled()).toEqualTypeOf<boolean>();
    expectTypeOf(responseMock._isCut()).toEqualTypeOf<boolean>();
    expectTypeOf(responseMock._getRedirectUrl()).toEqualTypeOf<string>();
  });

  test("returns the lines of the log as arrays of unknown arguments", async () => {
    const { loggerMock } = await testEndpoint({ endpoint });
    expectTypeOf(loggerMock._getLogs()).toEqualTypeOf<Logs>();
    expectTypeOf(loggerMock._getLogs().error).toEqualTypeOf<unknown[][]>();
    expectTypeOf<keyof Logs>().toEqualTypeOf<"debug" | "info" | "warn" | "error">();
  });

  test("returns a logger with the members of loggerProps", async () => {
    const { loggerMock } = await testEndpoint({ endpoint, loggerProps: new AppLogger() });
    expectTypeOf(loggerMock).toEqualTypeOf<LoggerMock<AppLogger>>();
    expectTypeOf(loggerMock.depth).toEqualTypeOf<number>();
    expectTypeOf(loggerMock.child).toEqualTypeOf<(suffix: string) => string>();
    expectTypeOf(loggerMock.info).toEqualTypeOf<Logger["info"]>();
    expectTypeOf(loggerMock._getLogs).toEqualTypeOf<() => Logs>();
    // @ts-expect-error -- there is no such member
    void loggerMock.parent;
  });

  test("accepts any property of a request, and a method in upper or lower case", () => {
    void testEndpoint({ endpoint, requestProps: { method: "post", body: null, ip: "1.2.3.4" } });
    void testEndpoint({ endpoint, requestProps: { method: "HEAD", session: { id: 1 } } });
    void testEndpoint({ endpoint, requestProps: undefined, configProps: { etag: "weak" } });
    expectTypeOf<RequestProps["params"]>().toEqualTypeOf<
      Readonly<Record<string, string | string[]>> | undefined
    >();
    expectTypeOf<RequestProps["session"]>().toBeUnknown();
  });

  test("accepts any object as the context, such as one with the type of an interface", () => {
    const user: User = { id: 1 };
    void testEndpoint({ endpoint, ctx: user });
    void testEndpoint({ endpoint, ctx: { user } });
  });

  test("rejects invalid options", () => {
    // @ts-expect-error -- the endpoint is missing
    void testEndpoint({});
    // @ts-expect-error -- this is not an endpoint
    void testEndpoint({ endpoint: auth });
    // @ts-expect-error -- there is no such option
    void testEndpoint({ endpoint, requestProp: {} });
    // @ts-expect-error -- there is no such method
    void testEndpoint({ endpoint, requestProps: { method: "TRACE" } });
    // @ts-expect-error -- header values are strings
    void testEndpoint({ endpoint, requestProps: { headers: { age: 5 } } });
    // @ts-expect-error -- parameters are strings
    void testEndpoint({ endpoint, requestProps: { params: { id: 5 } } });
    // @ts-expect-error -- the target is a string
    void testEndpoint({ endpoint, requestProps: { url: new URL("http://a/b") } });
    // @ts-expect-error -- there is no such option of a response
    void testEndpoint({ endpoint, responseOptions: { local: {} } });
    // @ts-expect-error -- there is no such option of the configuration
    void testEndpoint({ endpoint, configProps: { corss: true } });
    // @ts-expect-error -- cors is not a string
    void testEndpoint({ endpoint, configProps: { cors: "yes" } });
    // @ts-expect-error -- a logger is an object
    void testEndpoint({ endpoint, loggerProps: "debug" });
    // @ts-expect-error -- a context is an object
    void testEndpoint({ endpoint, ctx: "user" });
  });
});

describe("testMiddleware", () => {
  test("returns the output with the type that the middleware returns", async () => {
    const result = await testMiddleware({ middleware: auth });
    expectTypeOf(result.output).toEqualTypeOf<{ user: User; roles: readonly ["admin"] }>();
    expectTypeOf(result.output).not.toBeAny();
    expectTypeOf(result.responseMock).toEqualTypeOf<ResponseMock>();
    expectTypeOf<keyof typeof result>().toEqualTypeOf<
      "requestMock" | "responseMock" | "loggerMock" | "output"
    >();
  });

  test("returns an output without known properties if nothing is returned", async () => {
    const { output } = await testMiddleware({ middleware: silent });
    expectTypeOf(output).toEqualTypeOf<{}>();
    // @ts-expect-error -- there is no such property
    void output.user;
  });

  test("returns an output with optional properties if the middleware does not always return an object", async () => {
    const { output } = await testMiddleware({ middleware: sometimes });
    expectTypeOf(output).toEqualTypeOf<{ xhr?: boolean }>();
  });

  test("requires the context that the middleware needs", () => {
    const admins = new Middleware<{ role: "admin" | "member" }>({ handler: ({ ctx }) => void ctx });
    void testMiddleware({ middleware: admins, ctx: { role: "member" } });
    // @ts-expect-error -- `ctx` is missing
    void testMiddleware({ middleware: admins });
    // @ts-expect-error -- there is no such role
    void testMiddleware({ middleware: admins, ctx: { role: "guest" } });
  });

  test("accepts the context that the middleware needs, such as the output of another middleware", async () => {
    const { output: ctx } = await testMiddleware({ middleware: auth });
    const { output } = await testMiddleware({ middleware: greet, ctx });
    expectTypeOf(output).toEqualTypeOf<{ greeting: string }>();
    void testMiddleware({ middleware: greet, ctx: { user: { id: 1 } } });
    void testMiddleware({ middleware: auth, ctx: { anything: 1 } });
    void testMiddleware({ middleware: auth, ctx: undefined });
  });

  test("returns a logger with the members of loggerProps", async () => {
    const { loggerMock } = await testMiddleware({ middleware: auth, loggerProps: { depth: 3 } });
    expectTypeOf(loggerMock.depth).toEqualTypeOf<number>();
    expectTypeOf(loggerMock._getLogs()).toEqualTypeOf<Logs>();
  });

  test("rejects invalid options", () => {
    // @ts-expect-error -- the middleware is missing
    void testMiddleware({});
    // @ts-expect-error -- this is not a middleware
    void testMiddleware({ middleware: endpoint });
    // @ts-expect-error -- this is not a middleware, but the definition of one
    void testMiddleware({ middleware: { handler: async () => ({}) } });
    // @ts-expect-error -- the id is a number
    void testMiddleware({ middleware: greet, ctx: { user: { id: "1" } } });
    // @ts-expect-error -- there is no such option
    void testMiddleware({ middleware: auth, context: {} });
    // @ts-expect-error -- there is no option `endpoint`
    void testMiddleware({ middleware: auth, endpoint });
  });
});

describe("testServer", () => {
  test("returns a fetch function, the application and the logger", async () => {
    const server = await testServer({ cors: true }, { v1: { users: endpoint } });
    expectTypeOf(server.app).toEqualTypeOf<Express>();
    expectTypeOf(server.loggerMock._getLogs()).toEqualTypeOf<Logs>();
    expectTypeOf(server.fetch).returns.resolves.toEqualTypeOf<Response>();
    expectTypeOf(server.fetch).not.toBeAny();
    expectTypeOf(server.fetch).parameter(0).toEqualTypeOf<string | URL | Request>();
    expectTypeOf(server.fetch).parameter(1).toEqualTypeOf<RequestInit | undefined>();
    expectTypeOf(server.fetch).toExtend<typeof fetch>();
    const body = new FormData();
    void server.fetch(new Request("http://a"), { method: "POST", body, signal: null });
  });

  test("rejects wrong arguments", () => {
    // @ts-expect-error -- there is no such option
    void testServer({ corss: true }, {});
    // @ts-expect-error -- the routing is missing
    void testServer({});
    // @ts-expect-error -- this is not a routing
    void testServer({}, { users: "endpoint" });
    // @ts-expect-error -- this is not an endpoint
    void testServer({}, { users: auth });
  });
});
