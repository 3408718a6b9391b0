import { context, metrics, propagation, SpanKind, trace } from "@opentelemetry/api";
import { logs } from "@opentelemetry/api-logs";
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  SimpleLogRecordProcessor,
} from "@opentelemetry/sdk-logs";
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
  type Histogram,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";

/** What the SDK has recorded in memory. */
export interface Recorded {
  readonly spans: InMemorySpanExporter;
  readonly logs: InMemoryLogRecordExporter;
  /** Returns the finished spans of servers, once there are as many as expected. */
  untilServed(count?: number): Promise<readonly ReadableSpan[]>;
  /** Returns the points of the histogram of durations. */
  readDurations(): Promise<readonly DataPoint<Histogram>[]>;
}

/** Registers the SDK for the tests of a file; what it has recorded is forgotten before each test. */
export const useSdk = (): Recorded => {
  const spans = new InMemorySpanExporter();
  const records = new InMemoryLogRecordExporter();
  const points = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const reader = new PeriodicExportingMetricReader({
    exporter: points,
    exportIntervalMillis: 0x7fffffff,
  });
  const flush = async (): Promise<void> => {
    points.reset();
    await reader.forceFlush();
  };
  beforeAll(() => {
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
    const processors = [new SimpleLogRecordProcessor({ exporter: records })];
    logs.setGlobalLoggerProvider(new LoggerProvider({ processors }));
  });
  beforeEach(async () => {
    spans.reset();
    records.reset();
    await flush();
  });
  // the tests of other files run in the same process
  afterAll(async () => {
    for (const api of [trace, context, propagation, metrics, logs]) api.disable();
    await reader.shutdown();
  });
  const listServed = (): ReadableSpan[] =>
    spans.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);
  return {
    spans,
    logs: records,
    untilServed: async (count = 1) => {
      await expect.poll(() => listServed().length).toBe(count);
      return listServed();
    },
    readDurations: async () => {
      await flush();
      return points
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap((scope) => scope.metrics)
        .flatMap((metric) =>
          metric.dataPointType === DataPointType.HISTOGRAM &&
          metric.descriptor.name === "http.server.request.duration"
            ? metric.dataPoints
            : [],
        );
    },
  };
};

/** The header of a request that belongs to a trace. */
export const traceId = "0af7651916cd43dd8448eb211c80319c";
export const parentId = "b7ad6b7169203331";
export const traceparent = `00-${traceId}-${parentId}-01`;
