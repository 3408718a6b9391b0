/**
 * The global property in which the command line registers a function that is called for each endpoint or middleware
 * that is built.
 */
export const buildHook: unique symbol = Symbol.for("sallyport/build-hook");

/** The global property in which the command line registers a function that throws when a server is about to start. */
export const startHook: unique symbol = Symbol.for("sallyport/start-hook");

/** Calls the registered function, if any, before a server starts. */
export const reportStarting = (): void =>
  (globalThis as { readonly [startHook]?: () => void })[startHook]?.();

/** Calls the registered function, if any, with the endpoint or middleware that was built. */
export const reportBuilt = (built: object): void =>
  (globalThis as { readonly [buildHook]?: (built: object) => void })[buildHook]?.(built);
