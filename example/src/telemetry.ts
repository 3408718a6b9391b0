import { metrics } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

const resource = resourceFromAttributes({
  "service.name": process.env["OTEL_SERVICE_NAME"] ?? "book-shop",
});
const tracerProvider = new NodeTracerProvider({
  resource,
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
const meterProvider = new MeterProvider({
  resource,
  readers: [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })],
});

/** Begins to send spans and metrics to the collector at OTEL_EXPORTER_OTLP_ENDPOINT. */
export const startTelemetry = (): void => {
  tracerProvider.register();
  metrics.setGlobalMeterProvider(meterProvider);
};

export const stopTelemetry = () =>
  Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
