import type { Logger } from "sallyport";
import type { Resource } from "sallyport/types";
import { closeDatabase, openDatabase } from "./database/connection.ts";
import { environment } from "./environment.ts";
import {
  createHttpProvider,
  createSimulatedProvider,
  type Deliver,
} from "./orders/payment-providers.ts";
import { startPayments, stopPayments } from "./orders/payments.ts";
import { openRedis, redis } from "./redis.ts";

const telemetry: Resource = {
  name: "telemetry",
  // the packages are loaded only if they are used
  start: async () => (await import("./telemetry.ts")).startTelemetry(),
  stop: async () => (await import("./telemetry.ts")).stopTelemetry(),
};

/** What the endpoints need. */
export const resources: readonly Resource[] = [
  ...(environment.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? [] : [telemetry]),
  { name: "database", start: openDatabase, stop: closeDatabase },
  ...(redis ? [{ name: "redis", start: openRedis, stop: () => redis?.destroy() }] : []),
  { name: "payments", stop: stopPayments },
];

/** Begins to ask for payments; `deliver` takes the webhooks of the simulated provider. */
export const takePayments = (deliver: Deliver, logger: Logger): void => {
  const { PAYMENT_URL: url } = environment;
  const provider =
    url === undefined ? createSimulatedProvider(deliver, logger) : createHttpProvider(url);
  startPayments(provider, logger);
};
