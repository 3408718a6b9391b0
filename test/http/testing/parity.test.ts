import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import type { Request, Response } from "express";
import session from "express-session";
import helmet from "helmet";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ResultHandler,
  type Result,
} from "sallyport";
import { testEndpoint } from "sallyport/testing";
import type { MarkedEndpoint, Severity } from "sallyport/types";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { shortenGrace, start } from "../harness.ts";
import {
  answers,
  asks,
  errors,
  gives,
  inputs,
  sees,
  sending,
  streaming,
  throws,
  type More,
  type ParityCase,
} from "./parity-cases.ts";

/** The response that a client received. The status is 0 if there was none. */
interface Outcome {
  readonly status: number;
  readonly headers: object;
  readonly body: string;
  readonly isCut: boolean;
}

type Lines = readonly (readonly [Severity, string, object])[];

/** Header fields that may differ, because they concern the connection or the time. */
const unlike = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);

const toShown = (body: Buffer): string =>
  body.length > 10_000 ? createHash("sha1").update(body).digest("hex") : body.toString("latin1");

const toOutcome = (status: number, headers: object, body: Buffer, isCut: boolean): Outcome => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !unlike.has(name))),
  body: toShown(body),
  isCut,
});

/** Returns a log line without stacks, which differ. */
const toLine = (severity: Severity, message: unknown, meta: unknown): Lines[number] => {
  const fields = Object.entries(meta ?? {}).map(([name, value]: [string, unknown]) => [
    ...[name, value instanceof Error ? `${value.name}: ${value.message}` : value],
  ]);
  return [severity, String(message), Object.fromEntries(fields) as object];
};

const sortLines = (lines: Lines): Lines =>
  (["debug", "info", "warn", "error"] as const).flatMap((severity) =>
    lines.filter(([one]) => one === severity),
  );

type Setup = readonly [endpoint: MarkedEndpoint, more: More];
type Run = readonly [outcome: Outcome, lines: () => Lines];

const baseHeaders = { "content-type": "application/json", host: "api.example" };

const runInMemory = async (...[endpoint, { config = {}, props = {} }]: Setup): Promise<Run> => {
  const { responseMock, loggerMock } = await testEndpoint({
    endpoint,
    requestProps: { url: "/x", ...props, headers: { ...baseHeaders, ...props.headers } },
    configProps: config,
  });
  return [
    toOutcome(
      responseMock._getStatusCode(),
      responseMock._getHeaders(),
      responseMock._getBuffer(),
      responseMock._isCut(),
    ),
    () =>
      Object.entries(loggerMock._getLogs()).flatMap(([severity, lines]: [string, unknown[][]]) =>
        lines.map(([message, meta]) => toLine(severity as Severity, message, meta)),
      ),
  ];
};

const runBySocket = async (
  ...[endpoint, { path = "/x", config = {}, props = {}, wire = {} }]: Setup
): Promise<Run> => {
  const server = await start({ [path]: endpoint }, { accessLogger: null, ...config });
  const atStart = server.lines.length;
  const { method = "GET", url = "/x", headers = {}, body } = props;
  const outcome = await new Promise<Outcome>((resolve, reject) => {
    const request = httpRequest({
      ...{ host: "127.0.0.1", port: server.port, agent: false },
      ...{ method: method.toUpperCase(), path: wire.target ?? url },
      headers: { ...baseHeaders, ...headers, ...wire.headers },
    });
    request.on("response", (message) => {
      const chunks: Buffer[] = [];
      message.on("data", (chunk: Buffer) => chunks.push(chunk));
      // `complete` shows whether the response was cut off
      message.on("error", () => undefined);
      message.on("close", () =>
        resolve(
          toOutcome(
            message.statusCode ?? 0,
            message.headers,
            Buffer.concat(chunks),
            !message.complete,
          ),
        ),
      );
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET") resolve(toOutcome(0, {}, Buffer.alloc(0), true));
      else reject(error);
    });
    request.end(wire.body ?? (body === undefined ? undefined : JSON.stringify(body)));
  });
  return [
    outcome,
    () =>
      server.lines
        .slice(atStart)
        .map(({ severity, message, meta }) => toLine(severity, message, meta)),
  ];
};

const check = async (status: number, endpoint: MarkedEndpoint, more: More = {}): Promise<void> => {
  if (more.isProduction) vi.stubEnv("NODE_ENV", "production");
  const [seen, seenLines] = await runBySocket(endpoint, more);
  expect([seen.status, seen.isCut]).toEqual([status, more.isCut ?? false]);
  const [mocked, mockedLines] = await runInMemory(endpoint, more);
  // without a response, the mock shows the status and headers that the application has set
  const isNothing = status === 0;
  expect(isNothing ? { ...mocked, status, headers: {} } : mocked).toEqual(seen);
  // the last line may be logged after the last byte is sent
  await expect.poll(() => sortLines(seenLines())).toEqual(sortLines(mockedLines()));
};

afterEach(() => {
  vi.unstubAllEnvs();
});

const head: More = { props: { method: "HEAD" } };
const key = { input: z.object({ key: z.string().min(2) }) };
const inputs401 = factory.addMiddleware({ handler: () => Promise.reject(createHttpError(401)) });
const contexts = factory
  .addMiddleware({ ...key, handler: async ({ input }) => ({ user: input.key, order: [1] }) })
  .addContext(async (ctx) => ({ order: [...ctx.order, 2] }));
const echoes = contexts.build({
  input: z.strictObject({ own: z.string().optional() }),
  handler: async ({ ctx, input }) => ({ ctx, input }),
});
const after = (handler: (parts: { response: Response }) => unknown): MarkedEndpoint =>
  factory.addMiddleware({ handler: handler as () => undefined }).build({ handler: boom });
const boom = (): never => {
  throw new Error("The handler must not run");
};
const uses = (
  native: (request: Request, response: Response, next: (error?: unknown) => void) => unknown,
  handler: () => object = boom,
): MarkedEndpoint => factory.use(native).build({ handler });
const provides = factory
  .use(
    (request, _response, next) =>
      void setImmediate(() => (Object.assign(request, { user: "u" }), next())),
    {
      provider: (request) => ({ user: (request as { user?: string }).user }),
    },
  )
  .build({ handler: async ({ ctx }) => ctx });
const transforms = factory
  .use((_request, _response, next) => next(new Error("inner")), {
    transformer: (error) => createHttpError(402, error.message),
  })
  .build({ handler: boom });

const genid = (): string => "fixed";
const withSession = session({ secret: "s", resave: false, saveUninitialized: true, genid });

const middlewares: readonly ParityCase[] = [
  ["a context", 200, echoes, { props: { url: "/x?key=abc&own=1" } }],
  ["an input that a middleware rejects", 400, echoes, { props: { url: "/x?key=a" } }],
  ["a 401 before a 400", 401, inputs401.build({ ...key, handler: boom })],
  [
    "null from a middleware",
    200,
    factory.addMiddleware({ handler: () => null }).build({ handler: async ({ ctx }) => ctx }),
  ],
  ["an array from a middleware", 500, after(() => [1])],
  ["a string from a middleware", 500, after(() => "text")],
  [
    "a middleware that ends the response",
    203,
    after(({ response }) => void response.status(203).send("done")),
  ],
  ["a middleware that redirects", 302, after(({ response }) => response.redirect("/login"))],
  [
    "a middleware that fails after sending",
    200,
    after(({ response }) => response.send("done") && boom()),
  ],
  [
    "a middleware that sends to HEAD",
    200,
    after(({ response }) => void response.send("done")),
    head,
  ],
  [
    "a native middleware that calls next",
    200,
    uses(
      (_request, _response, next) => next(),
      () => ({}),
    ),
  ],
  [
    "a native middleware that sets headers",
    200,
    uses(
      (_request, response, next) => (response.set("X-A", "1"), next()),
      () => ({}),
    ),
  ],
  [
    "a native middleware that ends the response",
    202,
    uses((_request, response) => response.status(202).end("x")),
  ],
  [
    "a native middleware that ends the response later",
    202,
    uses((_request, response) => setTimeout(() => response.status(202).end("x"), 10)),
  ],
  [
    "a native middleware that rejects with a 403",
    403,
    uses((_request, _response, next) => next(createHttpError(403))),
  ],
  ["a native middleware that throws", 500, uses(boom)],
  [
    "a native middleware that returns a rejected promise",
    418,
    uses(() => Promise.reject(createHttpError(418))),
  ],
  ["a native middleware with a context", 200, provides],
  ["a native middleware whose error is transformed", 402, transforms],
  ["a session", 200, uses(withSession, () => ({}))],
  ["helmet", 200, uses(helmet(), () => ({}))],
  ["helmet and an error", 500, uses(helmet())],
];

const allows = (headers: Record<string, string>) => () => headers;
const origin = { "Access-Control-Allow-Origin": "https://a.example", "X-More": "1" };
const refuses = (): never => {
  throw createHttpError(403, "Not from there");
};
const preflight = {
  method: "OPTIONS",
  headers: { "access-control-request-method": "GET" },
} as const;
const fine = gives(() => ({ fine: true }));

const cors: readonly ParityCase[] = [
  ["true", 200, fine, { config: { cors: true } }],
  ["true and an error", 404, throws(createHttpError(404)), { config: { cors: true } }],
  ["true and a preflight", 200, fine, { config: { cors: true }, props: preflight }],
  ["a function", 200, fine, { config: { cors: allows(origin) } }],
  ["a function and an error", 500, throws(new Error("a")), { config: { cors: allows(origin) } }],
  ["a function and a preflight", 200, fine, { config: { cors: allows(origin) }, props: preflight }],
  ["a function that returns nothing", 200, fine, { config: { cors: allows({}) } }],
  [
    "a function that waits",
    200,
    fine,
    { config: { cors: async ({ defaultHeaders }) => defaultHeaders } },
  ],
  ["a function that throws", 403, fine, { config: { cors: refuses } }],
  ["a function that throws, to HEAD", 403, fine, { config: { cors: refuses }, ...head }],
  [
    "a function that throws at a preflight",
    403,
    fine,
    { config: { cors: refuses }, props: preflight },
  ],
  [
    "a function that returns what cannot be sent",
    500,
    fine,
    { config: { cors: allows({ "X-A": "a\nb" }) } },
  ],
  [
    "a preflight past a native middleware",
    200,
    uses((_request, response, next) => (response.set("X-A", "1"), next())),
    { config: { cors: true }, props: preflight },
  ],
  ["a preflight with CORS disabled", 405, fine, { config: { cors: false }, props: preflight }],
];

const handles = (
  handler: (result: Result) => unknown,
  act: () => object = () => ({ a: "ä" }),
): MarkedEndpoint => {
  const declared = { positive: z.object({}), negative: z.object({}) };
  return new EndpointsFactory(new ResultHandler({ ...declared, handler })).build({ handler: act });
};
const failing = (): never => {
  throw createHttpError(409, "No");
};
const own = ({ response, error, output }: Result): unknown =>
  error
    ? response.status(error.statusCode ?? 500).json({ no: error.message })
    : response.json({ output });
const csv = ({ response, error }: Result): unknown =>
  error
    ? response.status(400).type("text/plain").send("no")
    : response.attachment("a.csv").send("a;ä\n");
const later = async (result: Result): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 10));
  own(result);
};
const inCallback = (result: Result): void => void setTimeout(() => own(result), 20);
const nothing = (): void => undefined;
const halfway = ({ response }: Result): never => {
  response.set("X-Kept", "1").type("text/html").cookie("a", "1");
  return boom();
};

const results: readonly ParityCase[] = [
  ["a success", 200, handles(own)],
  ["an error", 409, handles(own, failing)],
  ["a string", 200, handles(csv)],
  ["an error as plain text", 400, handles(csv, failing)],
  ["a handler that waits", 200, handles(later)],
  ["a handler that waits, and an error", 409, handles(later, failing)],
  ["a handler that sends in a callback", 200, handles(inCallback)],
  ["a handler that throws", 500, handles(halfway)],
  ["a handler that throws, for HEAD", 500, handles(halfway), head],
  ["a handler that rejects", 500, handles(() => Promise.reject(new Error("a")), failing)],
  ["a handler that sends nothing", 500, handles(nothing)],
  [
    "a handler that throws after sending",
    200,
    handles(({ response }) => response.send("x") && boom()),
  ],
  [
    "a handler that sends a stream",
    200,
    handles(({ response }) => response.sendFile(import.meta.filename)),
  ],
  [
    "a handler that destroys the response",
    0,
    handles(({ response }) => response.destroy()),
    { isCut: true },
  ],
  ["a handler that handles an error in cors", 403, handles(own), { config: { cors: refuses } }],
];

const sleeps = gives(() => new Promise((resolve) => setTimeout(() => resolve({}), 10_000).unref()));
const heeds = gives(async ({ signal }) => {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  return {};
});
const quick = { config: { requestTimeout: 15 } };
const withBody = { props: { method: "POST", body: {} } } as const;
const forwarded = {
  "x-forwarded-for": "1.2.3.4, 5.6.7.8",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "b.example",
};
const accept = asks({ accept: "text/html;q=0.5, application/json", "accept-language": "de" });

const seen: readonly ParityCase[] = [
  ["a timeout", 503, sleeps, quick],
  ["a timeout that the handler respects", 503, heeds, quick],
  ["a timeout that is kept", 200, fine, quick],
  ["signal", 200, gives(({ signal }) => ({ is: signal.aborted }))],
  ["locals", 200, gives(({ response }) => Object.assign(response.locals, { a: 1 }))],
  [
    "get",
    200,
    sees((at) => [at.get("X-A"), at.get("referer"), at.header("x-none")]),
    asks({ "X-A": "1", referrer: "r" }),
  ],
  ["is", 200, sees((at) => [at.is("json"), at.is("html")]), withBody],
  [
    "a body of known length",
    200,
    sees((at) => [at.is("json"), at.is("html")]),
    { props: { ...withBody.props, headers: { "content-length": "2" } } },
  ],
  [
    "an address behind a proxy",
    200,
    sees((at) => [at.app.set("trust proxy", true) && at.ip, at.ips, at.protocol, at.hostname]),
    asks(forwarded),
  ],
  [
    "accepts",
    200,
    sees((at) => [at.accepts("json", "html"), at.accepts("png"), at.acceptsLanguages("en", "de")]),
    accept,
  ],
  ["ip, protocol and xhr", 200, sees((at) => [at.ip, at.ips, at.protocol, at.secure, at.xhr])],
  ["hostname", 200, sees((at) => [at.host, at.hostname, at.subdomains])],
  [
    "paths",
    200,
    sees((at) => [at.url, at.path, at.originalUrl, at.baseUrl]),
    { props: { url: "/x/?a=1" } },
  ],
  [
    "parameters",
    200,
    sees((at) => at.params),
    { path: "/x/:a/:b", props: { url: "/x/1/2", params: { a: "1", b: "2" } } },
  ],
  ["parameters of a path that has none", 200, sees((at) => at.params)],
  ["the version", 200, sees((at) => [at.httpVersion, at.method])],
  ["range", 200, sees((at) => at.range(100)), asks({ range: "bytes=1-5,8-9" })],
  ["freshness", 200, sees((at) => [at.fresh, at.stale])],
  ["cookies", 200, sees((at) => at.cookies), asks({ cookie: "a=1; b=ä" }, { cookies: true })],
  [
    "no cookies",
    200,
    sees((at) => [at.cookies, at.signedCookies].map(String)),
    asks({ cookie: "a=1" }, { cookies: false }),
  ],
  [
    "many header fields of one name",
    200,
    sees((at) => at.headers["x-a"]),
    { props: { headers: { "x-a": ["1", "2"] } } },
  ],
  [
    "the peer",
    200,
    sees(({ socket }) => [socket.remoteAddress, socket.remoteFamily, socket.destroyed]),
  ],
  [
    "the references between request and response",
    200,
    gives(({ request, response }) => ({
      is: [request.res === response, response.req === request, response.app === request.app],
    })),
  ],
  [
    "a logger per request",
    200,
    gives(({ request }) => ({ url: request.url })),
    {
      config: {
        childLoggerProvider: ({ parent }) => parent,
        accessLogger: (request, logger) => logger.info(`came ${request.url}`),
      },
    },
  ],
  ["a logger that cannot be created", 500, fine, { config: { childLoggerProvider: boom } }],
];

describe.each([
  ["errors", errors],
  ["inputs", inputs],
  ["methods and outputs", answers],
  ["a response sent by hand", sending],
  ["streams", streaming],
  ["middlewares", middlewares],
  ["CORS", cors],
  ["result handlers", results],
  ["what a handler sees", seen],
])("testEndpoint returns the same response as a server: %s", (_group, cases) => {
  test.each(cases.map(([name, ...rest]) => ({ name, rest })))("$name", async ({ rest }) => {
    shortenGrace();
    await check(...rest);
  });
});
