/** Loads node:http when it is first needed: importing it takes 25 ms, and reading all its exports another 50 ms. */
export const loadNodeHttp = (): typeof import("node:http") => process.getBuiltinModule("node:http");

/** Loads node:https when a server needs it. */
export const loadNodeHttps = (): typeof import("node:https") =>
  process.getBuiltinModule("node:https");

/** Loads node:zlib when a body is encoded. */
export const loadNodeZlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib");

/**
 * Loads node:util when it is first needed; importing all its exports would take 10 ms, because that loads the diff code
 * of node:assert and opens standard error.
 */
export const loadNodeUtil = (): typeof import("node:util") => process.getBuiltinModule("node:util");

/** Loads node:crypto when a cursor is signed. */
export const loadNodeCrypto = (): typeof import("node:crypto") =>
  process.getBuiltinModule("node:crypto");
