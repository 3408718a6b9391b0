import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateClient } from "sallyport/generate-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDesk } from "../http/support-desk.ts";
import { compile, root, writeProgram } from "./compile.ts";
import { startLanguageServer, type LanguageServer } from "./language-server.ts";

const clients = ["inferred", "generated"] as const;

const program = writeProgram(
  "client-documentation",
  `import { createClient } from "sallyport/client";
import { createClient as createGenerated } from "./client.ts";
import { infiniteQueryOptions, mutationOptions, queryOptions } from "sallyport/tanstack-query";
import type { createDesk } from "./support-desk.ts";
const inferred = createClient<ReturnType<typeof createDesk>["routing"]>({ baseUrl: "" });
const generated = createGenerated({ baseUrl: "" });
${clients
  .map(
    (client) => `
void ${client}.provide("get /v2/tickets/:id", { id: "1" });
void ${client}.request("get /v2/tickets/:id", { id: "1" });
void ${client}.download("get /v2/tickets/:id", { id: "1" });
void ${client}.iterate("get /v1/tickets", { limit: 1 });
void ${client}.subscribe("get /v2/tickets/:id/watch", { id: "1" });
void queryOptions(${client}, "get /v1/tickets");
void /* ${client} */ queryOptions(${client}, "get /v2/tickets/:id", { id: "1" });
void infiniteQueryOptions(${client}, "get /v1/tickets");
void /* ${client} */ infiniteQueryOptions(${client}, "get /v1/tickets", { limit: 1 });
void mutationOptions(${client}, "put /v1/tickets/:id");
void /* ${client} */ mutationOptions(${client}, "put /v1/tickets/:id", { timeout: 1 });`,
  )
  .join("")}
`,
);

let server: LanguageServer;
beforeAll(async () => {
  writeFileSync(join(program.folder, "client.ts"), generateClient(createDesk()));
  cpSync(join(root, "test/http/support-desk.ts"), join(program.folder, "support-desk.ts"));
  server = await startLanguageServer(program.folder);
});
afterAll(() => server.close());

test("the program has no errors", () => {
  expect(compile(program)).toEqual([]);
});

const summaries: Readonly<Record<string, string>> = {
  provide: "Sends a request and resolves to the body of the reply, for successes and errors.",
  request: "Sends a request and resolves to the reply: status, header fields and body",
  download: "Sends a request and resolves to the successful response, whose body has not been read",
  iterate: "Iterates over the items of all pages, starting with the given one",
  subscribe: "Receives the events of a stream. When the stream ends or breaks off, it is reopened",
};

test.each(clients.flatMap((client) => Object.keys(summaries).map((name) => [client, name])))(
  "an editor shows what a function of the client does: %s.%s",
  async (client = "", name = "") => {
    const at = program.text.indexOf(`void ${client}.${name}(`) + `void ${client}.`.length;
    const shown = await server.describe(program.file, program.text, at);
    expect(shown).toContain(summaries[name]);
    // what a call may throw, and the key that it takes
    expect(shown).toContain("@param");
    expect(shown).toContain("@throws");
  },
);

const returns: Readonly<Record<string, string>> = {
  queryOptions: "Returns the options for a query: its key, and a function that fetches",
  infiniteQueryOptions:
    "Returns the options for an infinite query that fetches the pages of a route",
  mutationOptions: "Returns the options for a mutation, whose input is the argument of `mutate`.",
};

test.each(
  clients.flatMap((client) =>
    Object.keys(returns).flatMap((name) => [
      [`void ${name}(${client}`, name],
      [`void /* ${client} */ ${name}(${client}`, name],
    ]),
  ),
)("an editor shows what a function for TanStack Query does: %s", async (call = "", name = "") => {
  const at = program.text.indexOf(call) + call.indexOf(name);
  expect(await server.describe(program.file, program.text, at)).toContain(returns[name]);
});
