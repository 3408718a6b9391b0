export type { Io } from "./command.ts";
export { compareDocuments } from "./lock/compare-documents.ts";
export type { Change } from "./lock/change.ts";
export type { Bump, Level } from "./lock/rule.ts";
export { runCli } from "./run-cli.ts";
