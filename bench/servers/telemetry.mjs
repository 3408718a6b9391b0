// sallyport with one endpoint, observed by OpenTelemetry. The second argument says how: none; api, without an SDK; sdk, whose
// spans and metrics nobody exports; spans, with a span for the handler and both validations; http, with
// instrumentation-http; http-alone, with instrumentation-http, but without the `telemetry` option.
import { metrics } from "@opentelemetry/api";
import { registerInstrumentations } from "@opentelemetry/instrumentation";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createServer, defaultEndpointsFactory } from "sallyport";
import { openTelemetry } from "sallyport/opentelemetry";
import { z } from "zod";
import { createQuietConfig } from "./quiet-config.mjs";

const [, , , way = "none"] = process.argv;

/** Drops all spans. */
const exporter = {
  export: (_spans, done) => done({ code: 0 }),
  shutdown: () => Promise.resolve(),
};

class UnusedReader extends MetricReader {
  onForceFlush() {
    return Promise.resolve();
  }
  onShutdown() {
    return Promise.resolve();
  }
}

if (way !== "none" && way !== "api") {
  new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }).register();
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [new UnusedReader()] }));
}
if (way.startsWith("http"))
  registerInstrumentations({ instrumentations: [new HttpInstrumentation()] });

const spans = way === "spans" ? ["middlewares", "validation", "handler"] : [];
const telemetry = way === "none" || way === "http-alone" ? undefined : openTelemetry({ spans });

await createServer(createQuietConfig({ telemetry }), {
  "get /v1/one/:id": defaultEndpointsFactory.build({
    input: z.object({ id: z.string() }),
    output: z.object({ id: z.string() }),
    handler: async ({ input }) => ({ id: input.id }),
  }),
});
