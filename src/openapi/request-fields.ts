/**
 * Registered request header fields, in lower case. If headers are one of several input sources, only these fields and
 * those that start with `x-` are documented as headers.
 */
export const requestFields: ReadonlySet<string> = new Set([
  ...["a-im", "accept", "accept-charset", "accept-datetime", "accept-encoding", "accept-language"],
  ...["accept-patch", "accept-post", "accept-ranges", "access-control-request-headers"],
  ...["access-control-request-method", "authorization", "cache-control", "connection"],
  ...["content-digest", "content-disposition", "content-encoding", "content-language"],
  ...["content-length", "content-location", "content-range", "content-type", "cookie", "date"],
  ...["device-memory", "dnt", "downlink", "dpop", "early-data", "ect", "expect", "forwarded"],
  ...["from", "host", "http2-settings", "idempotency-key", "if-match", "if-modified-since"],
  ...["if-none-match", "if-range", "if-unmodified-since", "keep-alive", "last-event-id", "link"],
  ...["max-forwards", "origin", "pragma", "prefer", "priority", "proxy-authorization", "purpose"],
  ...["range", "referer", "repr-digest", "rtt", "save-data", "sec-fetch-dest", "sec-fetch-mode"],
  ...["sec-fetch-site", "sec-fetch-user", "sec-purpose", "service-worker", "signature"],
  ...["signature-input", "te", "traceparent", "tracestate", "trailer", "transfer-encoding"],
  ...["upgrade", "upgrade-insecure-requests", "user-agent", "via", "want-content-digest"],
  ...["want-repr-digest", "baggage"],
]);
