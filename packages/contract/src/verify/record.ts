import type { Routing } from "sallyport";
import type { TestServer } from "sallyport/testing";
import { Coverage, type StatusTable } from "./coverage.ts";
import { readApi } from "./operation.ts";
import type { VerifyOptions } from "./options.ts";
import { toTableText } from "./report.ts";

/** A test server whose replies count. */
export interface RecordedServer extends TestServer {
  /** The statuses that the operations have sent so far. */
  readonly table: () => StatusTable;
  /** The same for people. */
  readonly text: () => string;
}

/**
 * Counts which of the declared statuses a team's own tests see.
 *
 * @param server what `testServer` returns; use the result in its place
 * @example
 * const server = record(await testServer(config, routing), { routing, config });
 * after(() => console.log(server.text()));
 */
export const record = (
  server: TestServer,
  {
    routing,
    config = {},
  }: { readonly routing: Routing; readonly config?: VerifyOptions["config"] },
): RecordedServer => {
  const coverage = new Coverage(readApi(routing, config).operations);
  const table = (): StatusTable => coverage.table;
  return {
    loggerMock: server.loggerMock,
    close: server.close,
    // a getter creates the application only if it is needed
    get app() {
      return server.app;
    },
    fetch: coverage.watch(server.fetch),
    table,
    text: () => `${toTableText(table())}\n`,
  };
};
