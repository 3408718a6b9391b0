import type { Logger } from "sallyport";
import { closeDatabase, openDatabase } from "./database/connection.ts";
import { environment } from "./environment.ts";
import {
  createHttpProvider,
  createSimulatedProvider,
  type Deliver,
} from "./orders/payment-providers.ts";
import { startPayments, stopPayments } from "./orders/payments.ts";
import { redis } from "./redis.ts";

let stopTelemetry: (() => Promise<void>) | undefined;

/** Opens what the endpoints need. */
export const openShop = async (): Promise<void> => {
  // the packages are loaded only if they are used
  if (environment.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined)
    stopTelemetry = (await import("./telemetry.ts")).startTelemetry();
  await openDatabase();
  await redis?.connect();
};

/** Begins to ask for payments; `deliver` takes the webhooks of the simulated provider. */
export const takePayments = (deliver: Deliver, logger: Logger): void => {
  const { PAYMENT_URL: url } = environment;
  const provider = url === undefined ? createSimulatedProvider(deliver) : createHttpProvider(url);
  startPayments(provider, logger);
};

/** Closes the shop, once nothing uses it. */
export const closeShop = async (): Promise<void> => {
  await stopPayments();
  redis?.destroy();
  await closeDatabase();
  await stopTelemetry?.();
};
