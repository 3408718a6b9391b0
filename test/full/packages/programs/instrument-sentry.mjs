// Loaded before everything else, by --import: Sentry with what it would send kept in memory.
import * as Sentry from "@sentry/node";

export const events = [];
Sentry.init({
  dsn: "https://key@sentry.invalid/1",
  tracesSampleRate: 1,
  traceLifecycle: "static",
  // the client of the tests is in the same process, and must not tell the server to sample nothing
  tracePropagationTargets: [],
  transport: (options) =>
    Sentry.createTransport({ ...options, recordDroppedEvent: () => undefined }, async () => ({})),
  beforeSend: (event) => events.push(event) && event,
  beforeSendTransaction: (event) => events.push(event) && event,
});
