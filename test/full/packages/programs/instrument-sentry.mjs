// Starts Sentry, whose reports are kept in memory; loaded before the program, by --import.
import * as Sentry from "@sentry/node";

export const events = [];
Sentry.init({
  dsn: "https://key@sentry.invalid/1",
  tracesSampleRate: 1,
  traceLifecycle: "static",
  // the test's client is in the same process; its trace headers could keep the server from sampling
  tracePropagationTargets: [],
  transport: (options) =>
    Sentry.createTransport({ ...options, recordDroppedEvent: () => undefined }, async () => ({})),
  beforeSend: (event) => events.push(event) && event,
  beforeSendTransaction: (event) => events.push(event) && event,
});
