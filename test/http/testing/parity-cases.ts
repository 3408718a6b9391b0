import { createHmac } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Request, Response } from "express";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  type ServerConfig,
} from "sallyport";
import type { RequestProps } from "sallyport/testing";
import type { MarkedEndpoint } from "sallyport/types";
import { vi } from "vitest";
import { z } from "zod";

/** The options for a case, apart from its endpoint. */
export interface More {
  /** @default "/x" */
  readonly path?: string;
  readonly config?: Partial<ServerConfig>;
  readonly props?: RequestProps;
  /** The parts of the request on the socket that do not follow from `props`. */
  readonly wire?: {
    readonly target?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string | Buffer;
  };
  readonly isCut?: boolean;
  readonly isProduction?: boolean;
}

/**
 * A request for `testEndpoint` and for a real socket. The correct status is stated, because the two
 * sides could agree on a wrong one. The status is 0 if there is no response.
 */
export type ParityCase = readonly [
  name: string,
  status: number,
  endpoint: MarkedEndpoint,
  more?: More,
];

type Act = (parts: {
  readonly request: Request;
  readonly response: Response;
  readonly signal: AbortSignal;
}) => unknown;

const method = ["get", "post", "put", "patch", "delete"] as const;

/** Creates an endpoint for every method that responds with the value that a function returns. */
export const gives = (act: Act, build = factory): MarkedEndpoint =>
  build.build({ method, handler: async (args) => (await act(args)) as object });

/** Creates an endpoint that responds with properties that it reads from the request. */
export const sees = (see: (request: Request) => unknown): MarkedEndpoint =>
  gives(({ request }) => ({ seen: see(request) }));

/** Creates an endpoint that sends the response itself. */
export const ends = (act: (response: Response) => unknown): MarkedEndpoint =>
  factory.buildVoid({ method, handler: ({ response }) => act(response) });

/** Creates an endpoint that throws the given value. */
export const throws = (thrown: unknown): MarkedEndpoint =>
  ends(() => {
    throw thrown;
  });

const takes = (shape: z.ZodRawShape, input = z.object(shape)): MarkedEndpoint =>
  factory.build({ method, input, handler: async ({ input }) => ({ input }) });
const gets = (url: string, config: Partial<ServerConfig> = {}): More => ({
  ...{ props: { url }, config },
});
const posts = (body: unknown): More => ({ props: { method: "POST", body } });

/** Creates the options for a request with header fields. */
export const asks = (
  headers: Record<string, string>,
  config: Partial<ServerConfig> = {},
): More => ({
  ...{ props: { headers }, config },
});

const isProduction = true;
const codes = [400, 401, 403, 404, 409, 410, 415, 418, 422, 429, 500, 502, 503, 599];
const retryLater = createHttpError(429, { headers: { "Retry-After": "5", "X-Other": "ä" } });
const badHeaders = createHttpError(429, { headers: { "X-Bad": "a\nb", "X-Good": "c" } });

export const errors: readonly ParityCase[] = [
  ...codes.map((code): ParityCase => [
    `http error ${code}`,
    code,
    throws(createHttpError(code, `No ${code} ä`)),
  ]),
  ...[404, 500].flatMap((code) =>
    [true, false].map((expose): ParityCase => {
      const error = createHttpError(code, "The secret", { expose });
      return [`production: ${code}, expose ${expose}`, code, throws(error), { isProduction }];
    }),
  ),
  ["an HTTP error with headers", 429, throws(retryLater)],
  ["an HTTP error with headers that cannot be sent", 500, throws(badHeaders)],
  ["a plain error", 500, throws(new Error("plain"))],
  ["a plain error in production", 500, throws(new Error("plain")), { isProduction }],
  ["an error with only a status", 409, throws(Object.assign(new Error("a"), { status: 409 }))],
  [
    "an error with a status out of range",
    500,
    throws(Object.assign(new Error("a"), { status: 200 })),
  ],
  ["a frozen error", 404, throws(Object.freeze(createHttpError(404, "frozen")))],
  ["a thrown string", 500, throws("a text")],
  ["a thrown number", 500, throws(7)],
  ["a thrown undefined", 500, throws(undefined)],
  ["a thrown null", 500, throws(null)],
  ["a thrown object", 500, throws({ statusCode: 404, message: "an object" })],
  ["a thrown symbol", 500, throws(Symbol("a"))],
  ["a ZodError from the handler", 500, ends(() => z.string().parse(1))],
  ["a rejected promise", 403, ends(() => Promise.reject(createHttpError(403)))],
];

const n = z.coerce.number();
const nested = { a: z.object({ list: z.array(z.object({ n: z.int() })) }) };
const refused = { a: z.string().refine(async () => false) };
const measured = { a: z.string().transform((a) => a.length) };
const ab = { a: z.string(), b: z.string() };
const file = { name: "a.txt", data: Buffer.from("abc"), size: 3, mimetype: "text/x", mv: vi.fn() };
const files = { file, list: { ...file, name: "b", data: Buffer.alloc(0), size: 0 } };
const takesRaw = factory.build({
  ...{ method: "post", input: ez.raw() },
  handler: async ({ input }) => ({ hex: input.raw.toString("hex") }),
});
const takesFiles = factory.build({
  method: "post",
  input: z.object({ file: ez.upload(), list: z.array(ez.upload()), title: z.string() }),
  handler: async ({ input: { file, list, title } }) => ({
    ...{ title, name: file.name, size: file.size, type: file.mimetype, text: String(file.data) },
    others: list.map(({ name, size }) => ({ name, size })),
  }),
});
const multipart = [
  ...["--b", 'Content-Disposition: form-data; name="title"', "", "t", "--b"],
  'Content-Disposition: form-data; name="file"; filename="a.txt"',
  ...["Content-Type: text/x", "", "abc", "--b"],
  'Content-Disposition: form-data; name="list"; filename="b"',
  ...["Content-Type: text/x", "", "", "--b--", ""],
].join("\r\n");
const extended = { queryParser: "extended" } as const;
const signature = createHmac("sha256", "s").update("1").digest("base64").replace(/=+$/, "");
const signed = `a=s:1.${signature}; b=s:1.wrong`;
const fromCookies = { inputSources: { get: ["cookies"] }, cookies: true } as const;
const fromSigned = { inputSources: { get: ["signedCookies"] }, cookies: { secret: "s" } } as const;

export const inputs: readonly ParityCase[] = [
  ["a wrong body", 400, takes(ab), posts({ a: 1 })],
  ["a wrong query", 400, takes({ n }), gets("/x?n=a&n=b")],
  ["a wrong nested field", 400, takes(nested), posts({ a: { list: [{ n: 1 }, { n: 1.5 }] } })],
  [
    "a wrong parameter",
    400,
    takes({ id: n }),
    { path: "/x/:id", props: { url: "/x/abc", params: { id: "abc" } } },
  ],
  [
    "more issues than are reported",
    400,
    takes({ a: z.array(n) }),
    posts({ a: Array(30).fill("a") }),
  ],
  ["an array as the body", 400, takes({}), posts([1, 2])],
  ["an unknown field", 400, takes({}, z.strictObject({})), posts({ extra: 1 })],
  ["an asynchronous refinement", 400, takes(refused), posts({ a: "x" })],
  ["a transformation", 200, takes(measured), posts({ a: "äöü" })],
  ["the query of the url", 200, takes({ q: z.string(), n }), gets("/x?q=%C3%A4+b&n=5")],
  [
    "the query as an object",
    200,
    takes({ q: z.array(z.string()) }),
    { props: { query: { q: ["1", "2"] } }, wire: { target: "/x?q=1&q=2" } },
  ],
  ["an extended query", 200, sees(({ query }) => query), gets("/x?a[b]=1&a[c][]=2", extended)],
  ["a simple query", 200, sees(({ query }) => query), gets("/x?a[b]=1&a=2&c")],
  ["too many pairs in the query", 400, takes({}), gets(`/x?${"a&".repeat(1500)}`)],
  [
    "a parameter that takes precedence over the body",
    200,
    takes({ id: z.string(), n }),
    {
      path: "/x/:id",
      props: { method: "PUT", url: "/x/7", params: { id: "7" }, body: { id: "8", n: 1 } },
    },
  ],
  [
    "headers as a source",
    200,
    takes({ "x-key": z.string() }),
    asks({ "X-Key": "k, ä" }, { inputSources: { get: ["headers"] } }),
  ],
  ["cookies as a source", 200, takes(ab), asks({ cookie: "a=1; b=%20x" }, fromCookies)],
  [
    "signed cookies as a source",
    200,
    takes({ a: z.string(), b: z.string().optional() }),
    asks({ cookie: signed }, fromSigned),
  ],
  [
    "a raw body",
    200,
    takesRaw,
    { ...posts(Buffer.from([0, 255, 10])), wire: { body: Buffer.from([0, 255, 10]) } },
  ],
  [
    "files",
    200,
    takesFiles,
    {
      config: { upload: true },
      props: { method: "POST", body: { title: "t" }, files },
      wire: { body: multipart, headers: { "content-type": "multipart/form-data; boundary=b" } },
    },
  ],
];

const head: More = { props: { method: "HEAD" } };
const returns = (value: unknown): MarkedEndpoint => gives(() => value);
const outputs = (value: unknown): MarkedEndpoint =>
  factory.build({
    output: z.object({ n: z.number() }),
    handler: async () => value as { n: number },
  });
const sets = (status: number): MarkedEndpoint =>
  gives(({ response }) => void response.status(status));
const speaks = gives(({ response }) => {
  response.set("X-Latin", "äöü").append("X-Many", ["1", "2"]).append("Link", "<a>; rel=b");
  return { text: "äöü 日本 🚪 \u2028" };
});
const formats = ends((response) => {
  response.app.set("json spaces", 2).set("json escape", true);
  response.json({ a: "<b>", list: [1] });
});

export const answers: readonly ParityCase[] = [
  ...method.map((method): ParityCase => [
    `the method ${method}`,
    200,
    sees((at) => at.method),
    { props: { method } },
  ]),
  ["HEAD", 200, returns({ a: "some text" }), head],
  ["HEAD with an error", 404, throws(createHttpError(404)), head],
  ["a wrong output", 500, outputs({ n: "1" })],
  ["a wrong output in production", 500, outputs({ n: "1" }), { isProduction }],
  ["an output that is stripped", 200, outputs({ n: 1, secret: 2 })],
  ["no output", 200, returns(undefined)],
  ["no output although a schema is declared", 500, outputs(undefined)],
  ["null as the output", 500, returns(null)],
  ["an array as the output", 500, returns([1])],
  ["an output that JSON cannot represent", 500, returns({ n: 1n })],
  ["buildVoid", 200, ends(() => "ignored")],
  ["a status set by the handler", 201, sets(201)],
  ["status 204 with an output", 204, sets(204)],
  ["an error status for a success", 200, sets(404)],
  ["Unicode in the body and the headers", 200, speaks],
  ["a header that cannot be sent", 500, ends((response) => response.set("X-A", "日本"))],
  ["a large body", 200, returns({ text: "ä0123456789".repeat(200_000) })],
  ["a weak ETag", 200, returns({ a: 1 }), { config: { etag: "weak" } }],
  [
    "a strong ETag that matches",
    304,
    returns({ a: 1 }),
    asks({ "if-none-match": "*" }, { etag: "strong" }),
  ],
  [
    "a weak ETag that does not match",
    200,
    returns({ a: 1 }),
    asks({ "if-none-match": 'W/"0"' }, { etag: "weak" }),
  ],
  ["settings of the application", 200, formats],
];

const path = fileURLToPath(new URL("../../../LICENSE", import.meta.url));
const folder = fileURLToPath(new URL(".", import.meta.url));
const missing = `${path}.missing`;
const sendsFile = ends((response) => response.sendFile(path));
const sendsCookies = ends((response) => {
  response.cookie("a", "ä b", { httpOnly: true, expires: new Date(1e12) });
  response.cookie("j", { a: 1 }).clearCookie("b", { path: "/p" }).send("x");
});
const sendsSigned = ends((response) => response.cookie("a", "1", { signed: true }).send("x"));
const sendsByCallback = ends((response) =>
  response.sendFile(missing, () => response.status(418).send("gone")),
);
const accepts = ends((response) =>
  response.format({ text: () => response.send("t"), json: () => response.json({ j: 1 }) }),
);
const decorates = ends((response) => {
  response.vary("Origin").vary("Accept").links({ next: "/2" }).attachment("a.csv").send("a;b");
});

export const sending: readonly ParityCase[] = [
  ["a redirect", 302, ends((response) => response.redirect("/login?a=ä b"))],
  ["a permanent redirect", 301, ends((response) => response.redirect(301, "https://a.example/ö"))],
  ["a relative redirect", 302, ends((response) => response.redirect("../up"))],
  [
    "a redirect as HTML",
    302,
    ends((response) => response.redirect("/a")),
    asks({ accept: "text/html" }),
  ],
  ["a redirect for HEAD", 302, ends((response) => response.redirect("/a")), head],
  ["a location", 201, ends((response) => response.status(201).location("/ä").json({}))],
  ["cookies", 200, sendsCookies],
  ["a signed cookie", 200, sendsSigned, { config: { cookies: { secret: ["new", "old"] } } }],
  ["a signed cookie without a secret", 500, sendsSigned],
  ["a file", 200, sendsFile],
  ["a file for HEAD", 200, sendsFile, head],
  ["a range of a file", 206, sendsFile, asks({ range: "bytes=2-5" })],
  ["a range that a file does not have", 416, sendsFile, asks({ range: "bytes=9999999-" })],
  ["a missing file", 404, ends((response) => response.sendFile(missing))],
  ["a missing file, by callback", 418, sendsByCallback],
  ["a relative file", 500, ends((response) => response.sendFile("LICENSE"))],
  ["a directory as a file", 404, ends((response) => response.sendFile(folder))],
  ["a download", 200, ends((response) => response.download(path, "Lizenz ä.txt"))],
  ["a missing download", 404, ends((response) => response.download(missing))],
  ["a view without an engine", 500, ends((response) => response.render("view"))],
  ["text", 200, ends((response) => response.send("ä <b>"))],
  ["bytes", 200, ends((response) => response.type("png").send(Buffer.from([0, 200, 10])))],
  ["a bare status", 404, ends((response) => response.sendStatus(404))],
  ["a format that the client accepts", 200, accepts, asks({ accept: "application/json" })],
  ["no format that the client accepts", 406, accepts, asks({ accept: "image/png" })],
  ["Vary, links and an attachment", 200, decorates],
];

const late = async (response: Response, ...pieces: (string | Buffer)[]): Promise<void> => {
  for (const piece of pieces) {
    response.write(piece);
    await pause(15);
  }
};
const boom = (): never => {
  throw new Error("boom");
};
const failing = async function* (): AsyncGenerator<string> {
  yield "first";
  await pause(20);
  boom();
};
const piecewise = ends(async (response) => {
  await late(response, "a", "ä", Buffer.alloc(70_000, "c"));
  response.end("end");
});
const byCallback = ends(async (response) => {
  setTimeout(() => response.status(202).end("late"), 10);
  await once(response, "finish");
});
const bodyAfterHead = ends((response) => {
  response.writeHead(200, { "Content-Length": 5 });
  return pause(10).then(() => response.end("abcde"));
});
const headByHand = ends((response) =>
  response.writeHead(203, "Custom", { "X-A": "1", "Content-Length": 2 }).end("ab"),
);
const flatHead = ends((response) =>
  response.writeHead(200, ["Set-Cookie", "a=1", "Set-Cookie", "b=2"]).end(),
);
const hints = ends((response) => {
  response.writeEarlyHints({ link: "</a.css>; rel=preload; as=style" });
  response.send("x");
});
const twice = gives(({ response }) => {
  response.send("first");
  return { second: true };
});
const sentAndThrown = ends((response) => {
  response.send("first");
  boom();
});
const cutAfterHead = ends(async (response) => {
  response.flushHeaders();
  await pause(20);
  boom();
});
const shortBody = ends((response) => response.set("Content-Length", "9").end("abc"));
const shorter = ends((to) => to.writeHead(200, { "Content-Length": "9" }).end("abc"));
const ticks = new EventStreamFactory({ time: z.number() });
const events = ticks.build({
  handler: async ({ ctx: { emit } }) => {
    await emit("time", 1);
    await pause(15);
    await emit("time", 2);
  },
});
const noEvents = ticks.build({ handler: () => Promise.reject(createHttpError(409)) });
const wrongEvents = ticks.build({
  handler: async ({ ctx: { emit } }) => {
    await emit("time", 1);
    await pause(15);
    await emit("time", "2" as never);
  },
});
const reports = factory.build({
  handler: async ({ request, response, logger }) => {
    for (const name of ["finish", "close"])
      response.on(name, () => logger.info(`response ${name}`));
    request.on("close", () => logger.info("request close"));
    return {};
  },
});
const large = "ä".repeat(100_000);
const isCut = true;

export const streaming: readonly ParityCase[] = [
  ["pieces", 200, piecewise],
  ["chunks sent at once", 200, ends((to) => to.write("a") && to.write("b") && to.end("c"))],
  ["chunks for HEAD", 200, ends((response) => late(response, "a", "b")), head],
  ["an early end", 204, ends((response) => response.status(204).end())],
  ["a late response in a callback", 202, byCallback],
  ["a head written by hand", 203, headByHand],
  ["a head written by hand with an array of headers", 200, flatHead],
  ["a head before its body", 200, bodyAfterHead],
  ["early hints", 200, hints],
  ["a stream", 200, ends((response) => pipeline(Readable.from(["a", large, "b"]), response))],
  ["a piped stream", 200, ends((response) => void Readable.from(["a", "b"]).pipe(response))],
  ["a stream for HEAD", 200, ends((to) => void Readable.from(["a", "b"]).pipe(to)), head],
  ["an output after the response was sent", 200, twice],
  ["an error after the response was sent", 200, sentAndThrown],
  ["events of request and response", 200, reports],
  ["an event stream", 200, events],
  ["an event stream that fails before its first event", 409, noEvents],
  ["an event stream that fails later", 200, wrongEvents, { isCut }],
  ["a throw after chunks", 200, ends((to) => late(to, "a", "b").then(boom)), { isCut }],
  ["a throw right after a chunk", 200, ends((to) => to.write("a") && boom()), { isCut }],
  [
    "a throw right after two chunks",
    200,
    ends((to) => late(to, "a").then(() => to.write("b") && boom())),
    { isCut },
  ],
  ["a throw after a head", 200, cutAfterHead, { isCut }],
  ["a stream that fails", 200, ends((to) => pipeline(Readable.from(failing()), to)), { isCut }],
  [
    "a response destroyed after a chunk",
    200,
    ends((to) => late(to, "a").then(() => to.destroy())),
    { isCut },
  ],
  ["a response destroyed at once", 0, ends((response) => response.destroy()), { isCut }],
  ["a socket destroyed at once", 0, ends((response) => response.socket?.destroy()), { isCut }],
  ["a body shorter than its Content-Length", 0, shortBody, { isCut }],
  ["a body shorter than announced", 0, shorter, { isCut }],
];
