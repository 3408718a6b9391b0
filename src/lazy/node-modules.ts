/** Loads node:http when it is first needed: importing it costs 25 ms, and reading all its exports twice as much again. */
export const loadNodeHttp = (): typeof import("node:http") => process.getBuiltinModule("node:http");

/** Loads node:https when a server needs it. */
export const loadNodeHttps = (): typeof import("node:https") =>
  process.getBuiltinModule("node:https");

/** Loads node:zlib when a body is encoded. */
export const loadNodeZlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib");

/** Loads node:util; importing all its exports would load the diffs of node:assert and open the standard error, 10 ms. */
export const loadNodeUtil = (): typeof import("node:util") => process.getBuiltinModule("node:util");

/** Loads node:crypto when a cursor is signed. */
export const loadNodeCrypto = (): typeof import("node:crypto") =>
  process.getBuiltinModule("node:crypto");
