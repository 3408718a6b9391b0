/** Where the command line puts a function that is told of each endpoint and middleware that is built; nobody else does. */
export const buildHook: unique symbol = Symbol.for("sallyport/build-hook");

/** Where the command line puts a function that is told, and throws, when a server is about to start. */
export const startHook: unique symbol = Symbol.for("sallyport/start-hook");

/** Tells that a server is about to start, where somebody asks. */
export const tellStarting = (): void =>
  (globalThis as { readonly [startHook]?: () => void })[startHook]?.();

/** Tells of what is built, where somebody asks. */
export const tellBuilt = (built: object): void =>
  (globalThis as { readonly [buildHook]?: (built: object) => void })[buildHook]?.(built);
