export type { Command, Io } from "./command.ts";
export { commands } from "./commands.ts";
export { compareDocuments } from "./lock/compare/compare-documents.ts";
export { lockDocument } from "./lock/lock-command.ts";
export type { Change } from "./lock/compare/change.ts";
export type { Bump, Level } from "./lock/rules/rule.ts";
export { listenMock, mockServer } from "./mock/mock-server.ts";
export type { ListeningMock, ListenOptions, MockOptions, MockServer } from "./mock/mock-server.ts";
export { listenDocument, mockDocument } from "./mock/document/serve-document.ts";
export type { DocumentMockOptions } from "./mock/document/serve-document.ts";
export type { DocumentHandler } from "./mock/document/answer.ts";
export type { MockHandler, MockHandlers, RouteKey } from "./mock/handlers.ts";
export type { MockedConfig } from "./mock/mock-config.ts";
export { record } from "./verify/record.ts";
export type { RecordedServer } from "./verify/record.ts";
export { verify } from "./verify/verify.ts";
export type { CheckCount, Skipped, VerifyResult } from "./verify/verify-result.ts";
export type { CheckName } from "./verify/check.ts";
export type { OperationRow, SeenStatus, StatusTable } from "./verify/coverage.ts";
export type {
  Fixture,
  Login,
  LoginContext,
  VerifyClient,
  VerifyDocumentOptions,
  VerifyOptions,
} from "./verify/options.ts";
export type { Failure } from "./verify/session.ts";
export type { Step, Taken } from "./verify/steps.ts";
