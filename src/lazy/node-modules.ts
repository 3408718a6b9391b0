// An import would read all exports of these modules, which takes 50 ms for node:http, and 10 ms for node:util.

export const loadNodeHttp = (): typeof import("node:http") => process.getBuiltinModule("node:http");

export const loadNodeHttps = (): typeof import("node:https") =>
  process.getBuiltinModule("node:https");

export const loadNodeZlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib");

export const loadNodeUtil = (): typeof import("node:util") => process.getBuiltinModule("node:util");

export const loadNodeCrypto = (): typeof import("node:crypto") =>
  process.getBuiltinModule("node:crypto");
