/** Loads node:http when it is first needed: at import it would cost 25 ms, half as much as everything else. */
export const loadNodeHttp = (): typeof import("node:http") => process.getBuiltinModule("node:http");

/** Loads node:https when a server needs it. */
export const loadNodeHttps = (): typeof import("node:https") =>
  process.getBuiltinModule("node:https");
