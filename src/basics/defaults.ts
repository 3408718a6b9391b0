/**
 * The defaults of options, apart from those that are off or depend on something else. Times are in milliseconds, sizes
 * in bytes. A test compares them with what the types and the documentation say.
 */
export const defaults = {
  logger: { level: "debug", levelInProduction: "warn", depth: 2 },
  bodyLimit: { bytes: 1_048_576, values: 20_000 },
  bodyIdleTimeout: 10_000,
  responseIdleTimeout: 30_000,
  forms: true,
  queryParser: "simple",
  cookies: { nameBinding: "transition" },
  upload: {
    fileSize: 10_485_760,
    files: 10,
    fields: 1000,
    parts: 1000,
    fieldSize: 1_048_576,
    fieldsSize: 2_097_152,
    memory: 1_048_576,
    /** How much `total` leaves for boundaries and the headers of parts. */
    overhead: 1_048_576,
  },
  caseSensitive: true,
  methodLikeRouteBehavior: "method",
  wrongMethodBehavior: 405,
  shortcuts: true,
  startupLogo: true,
  /** Those of Node's servers that differ from Node's own. */
  http: {
    connectionsCheckingInterval: 5000,
    headersTimeout: 15_000,
    keepAliveTimeout: 65_000,
    requestTimeout: 60_000,
    // sallyport checks the `Host` header itself and responds with the API's envelope
    requireHostHeader: false,
  },
  gracefulShutdown: {
    timeout: 15_000,
    drain: 0,
    drainInCluster: 1000,
    events: ["SIGINT", "SIGTERM"],
  },
  health: { live: "/livez", ready: "/readyz", check: { timeout: 2000, cache: 1000 } },
  docs: { path: "/docs", ui: "swagger", openapi: "3.1" },
  webhook: { method: "post" },
  apiResponse: { mimeType: "application/json" },
  paginated: { itemsName: "items", maxLimit: 100, defaultLimit: 20 },
  eventStream: { heartbeat: 15_000, openAfter: 10_000, maxBuffered: 1_048_576 },
  channel: { history: { events: 1000, bytes: 1_048_576 }, retry: 2000 },
  rateLimit: {
    window: 60_000,
    name: "default",
    count: "all",
    weight: 1,
    passOnStoreError: true,
    storeTimeout: 1000,
  },
  idempotency: { ttl: 86_400_000, lease: 60_000 },
  transaction: { name: "tx" },
  cluster: { restart: "SIGHUP", timeout: 60_000 },
} as const;
