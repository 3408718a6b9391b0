// Starts the SDK in a process of its own, before the program is loaded (--import): spans of servers are printed, a line of
// JSON each, and Prometheus reads the metrics at the port of the first argument. With "instrumented" as the second one,
// instrumentation-http is registered.
import { metrics, SpanKind } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { registerInstrumentations } from "@opentelemetry/instrumentation";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

const [, , port, instrumented] = process.argv;

/** Prints the spans of servers. */
const exporter = {
  export: (spans, done) => {
    for (const span of spans) {
      const { name, kind, attributes, status, parentSpanContext } = span;
      if (kind !== SpanKind.SERVER || attributes["url.path"] === "/metrics") continue;
      const { traceId } = span.spanContext();
      const { name: scope } = span.instrumentationScope;
      const parent = parentSpanContext?.spanId;
      const events = span.events.map((event) => event.name);
      const printed = { name, attributes, status, parent, traceId, scope, events };
      process.stdout.write(`${JSON.stringify(printed)}\n`);
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};

new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
const reader = new PrometheusExporter({ port: Number(port), host: "127.0.0.1" });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
if (instrumented === "instrumented")
  registerInstrumentations({ instrumentations: [new HttpInstrumentation()] });
