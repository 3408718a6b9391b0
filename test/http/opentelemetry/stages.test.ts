import { context, createContextKey, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import createHttpError from "http-errors";
import { pino } from "pino";
import { defaultEndpointsFactory as factory, Middleware, type Logger } from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { openTelemetry } from "sallyport/opentelemetry";
import { expect, onTestFinished, test, vi } from "vitest";
import winston from "winston";
import { Writable } from "node:stream";
import { z } from "zod";
import { start } from "../harness.ts";
import { traceId, traceparent, useSdk } from "./telemetry-sdk.ts";

const sdk = useSdk();

const authenticate = async ({
  request,
}: {
  request: { get(name: string): string | undefined };
}) => {
  if (request.get("x-user") === undefined) throw createHttpError(401, "Who are you?");
  trace.getTracer("test").startSpan("look up").end();
  return { user: 1 };
};
const helmet = (_request: unknown, _response: unknown, next: () => void): void => next();

const createRoutes = () => {
  const order = factory
    .use(helmet)
    .addMiddleware({ handler: authenticate })
    .addMiddleware(
      new Middleware({
        input: z.object({ tenant: z.string() }),
        around: async (_args, next) => await next(),
      }),
    )
    .addMiddleware(idempotency({ store: memoryStore(), scope: () => "one" }))
    .build({
      method: "post",
      input: z.object({ amount: z.number() }),
      headers: z.object({ "x-fail": z.string().optional() }),
      output: z.object({ paid: z.number() }),
      handler: async ({ input, headers }) => {
        if (headers["x-fail"] === "500") throw new Error("no money");
        trace.getTracer("test").startSpan("pay").end();
        return { paid: input.amount };
      },
    });
  return { order };
};

/** Returns the spans as a tree: names with the names inside. */
const toTree = (): unknown => {
  const spans = sdk.spans
    .getFinishedSpans()
    .toSorted((one, other) => toNumber(one.startTime) - toNumber(other.startTime));
  const list = (parent: string | undefined): unknown[] =>
    spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
      .map((span) => {
        const inside = list(span.spanContext().spanId);
        return inside.length > 0 ? [span.name, ...inside] : span.name;
      });
  return list(undefined);
};
const toNumber = ([seconds, nanoseconds]: [number, number]): number =>
  (seconds % 1e6) * 1e6 + nanoseconds / 1000;

const send = async (spans: Parameters<typeof openTelemetry>[0], headers = {}) => {
  const server = await start(createRoutes(), { telemetry: openTelemetry(spans) });
  const body = { amount: 5, tenant: "a" };
  const { status } = await server.send("/order", {
    method: "POST",
    headers: { "x-user": "a", ...headers },
    body,
  });
  await sdk.untilServed();
  return status;
};

test("stages have spans of their own, and what they do belongs to them", async () => {
  expect(await send({ spans: ["middlewares", "validation", "handler"] })).toBe(200);
  expect(toTree()).toEqual([
    [
      "POST /order",
      [
        "middleware helmet",
        ["middleware authenticate", "look up"],
        "validate input of middleware 3",
        [
          "middleware 3",
          "validate headers of middleware idempotency",
          "validate headers",
          "validate input",
          ["middleware idempotency", ["handler", "pay"], "validate output"],
        ],
      ],
    ],
  ]);
  for (const span of sdk.spans.getFinishedSpans()) {
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(span.kind).toBe(span.name === "POST /order" ? SpanKind.SERVER : SpanKind.INTERNAL);
  }
});

test.each([
  [undefined, ["POST /order", "look up", "pay"]],
  [["handler"], ["POST /order", "look up", ["handler", "pay"]]],
] as const)("spans: %j", async (spans, tree) => {
  await send({ spans });
  expect(toTree()).toEqual([tree]);
});

test("the spans of stages that fail have the status Error if that is a fault", async () => {
  const spans = { spans: ["middlewares", "handler"] } as const;
  expect(await send(spans, { "x-fail": "500" })).toBe(500);
  const listFailed = () =>
    sdk.spans
      .getFinishedSpans()
      .filter(({ status }) => status.code === SpanStatusCode.ERROR)
      .map(({ name }) => name);
  expect(listFailed()).toContain("handler");
  expect(listFailed()).toContain("POST /order");
  sdk.spans.reset();
  const server = await start(createRoutes(), { telemetry: openTelemetry(spans) });
  const refused = await server.send("/order", { method: "POST", body: {} });
  expect(refused.status).toBe(401);
  await sdk.untilServed();
  expect(listFailed()).toEqual([]);
});

test("the keys of invalid input are named as without spans, if the schema declares them", async () => {
  const price = factory.build({
    method: "post",
    input: z.object({ "price in €": z.number() }),
    handler: async () => ({}),
  });
  const telemetry = openTelemetry({ spans: ["validation"] });
  const server = await start({ price }, { telemetry });
  const { text } = await server.send("/price", { method: "POST", body: {} });
  expect(text).toContain('"path":["price in €"]');
});

test("a context that an `around` middleware enters reaches the handler, within that of the request", async () => {
  const key = createContextKey("tenant");
  const tenant = new Middleware({
    around: (_args, next) => context.with(context.active().setValue(key, "a"), () => next()),
  });
  const read = factory.addMiddleware(tenant).build({
    handler: async () => ({
      tenant: context.active().getValue(key),
      trace: trace.getActiveSpan()?.spanContext().traceId,
    }),
  });
  const server = await start({ read }, { telemetry: openTelemetry() });
  const reply = await server.send("/read", { headers: { traceparent } });
  expect(reply.json()).toMatchObject({ data: { tenant: "a", trace: traceId } });
});

const talk = factory.build({
  handler: ({ logger, request }) => {
    logger.info("said", { url: request.url });
    logger.warn("bare");
    throw new Error("failed");
  },
});

/** Sends a request whose handler logs and fails; returns the lines of the request. */
const logLines = async (logger: Logger | undefined, lines: string[], more = {}) => {
  const server = await start(
    { talk },
    { telemetry: openTelemetry(), ...(logger && { logger }), ...more },
  );
  lines.length = 0;
  await server.send("/talk", { headers: { traceparent } });
  const [span] = await sdk.untilServed();
  await expect.poll(() => lines.length).toBe(4);
  return span?.spanContext().spanId;
};

test.each([
  [
    "pino",
    (write: (line: string) => void): Logger =>
      pino({ level: "debug" }, { write }) as unknown as Logger,
  ],
  [
    "winston",
    (write: (line: string) => void): Logger =>
      winston.createLogger({
        level: "debug",
        transports: new winston.transports.Stream({
          stream: new Writable({
            write: (chunk: Buffer, _encoding, done) => {
              write(chunk.toString());
              done();
            },
          }),
        }),
      }),
  ],
])("each line of a request that %s writes has the ids of the trace", async (_name, create) => {
  const lines: string[] = [];
  const logger = create((line) => lines.push(line));
  const spanId = await logLines(logger, lines, { requestId: true });
  const ids = { trace_id: traceId, span_id: spanId, trace_flags: "01" };
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject(ids);
    expect(JSON.parse(line)).toHaveProperty("requestId");
  }
});

test("each line of a request that the console logger writes has the ids of the trace", async () => {
  const lines: string[] = [];
  const print = vi
    .spyOn(console, "log")
    .mockImplementation((line) => void lines.push(String(line)));
  onTestFinished(() => print.mockRestore());
  const spanId = await logLines(undefined, lines, { logger: { level: "debug", color: false } });
  for (const line of lines)
    expect(line.replaceAll(/\s+/g, " ")).toContain(
      `trace_id: '${traceId}', span_id: '${spanId}', trace_flags: '01'`,
    );
});

test("the parent of `childLoggerProvider` has the ids of the trace", async () => {
  const lines: string[] = [];
  const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  await logLines(logger, lines, {
    childLoggerProvider: ({ parent }: { parent: { child(fields: object): Logger } }) =>
      parent.child({ own: 1 }),
  });
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ own: 1, trace_id: traceId });
});
