/** Creates an idempotency key; pages without HTTPS have no `crypto.randomUUID`. */
export const createKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
