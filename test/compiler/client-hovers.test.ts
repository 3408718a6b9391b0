import { afterAll, beforeAll, expect, test } from "vitest";
import { writeProgram } from "./compile.ts";
import { startLanguageServer, type LanguageServer } from "./language-server.ts";

const program = writeProgram(
  "client-hovers",
  `
import { createClient } from "sallyport/client";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { defaultEndpointsFactory as factory, EventStreamFactory, ez, ServeStatic, type Routing } from "sallyport";
import { z } from "zod";

const user = z.object({ id: z.string(), name: z.string(), createdAt: z.date() });
const give = async () => ({ id: "", name: "", createdAt: new Date() });
const getUser = factory.build({ input: z.object({ id: z.string() }), output: user, handler: give });
const createUser = factory.build({
  errors: { 409: { description: "", schema: z.int() } },
  method: "post",
  input: z.object({ name: z.string(), age: z.number().optional() }),
  output: user,
  handler: give,
});
const listUsers = factory.build({
  ...ez.paginated({ style: "offset", itemSchema: user }),
  handler: async () => ({ items: [], total: 0, limit: 1, offset: 0 }),
});
const clock = new EventStreamFactory({ time: z.number() }).build({ handler: async () => undefined });
const routing = {
  v1: { users: { get: listUsers, post: createUser, ":id": { get: getUser } }, clock },
} satisfies Routing;
const ping = factory.build({ handler: async () => ({}) });
const post = factory.build({ method: "post", handler: async () => ({}) });
const put = factory.build({ method: "put", handler: async () => ({}) });
const nested = {
  v1: {
    patients: {
      get: ping,
      "post import": post,
      "get export.csv": ping,
      "put": { x: ping, "put y": put },
      ":id": { get: getUser, attachments: { get: getUser, ":file": { post } }, archived: { post } },
    },
    "get files/:id": getUser,
    "shared/notes": { get: ping, ":id": getUser, drafts: { post } },
    tokens: { post, "post /renew": post, deep: { deeper: { post } } },
    public: new ServeStatic("assets"),
    status: { deep: { "get er": ping } },
  },
} satisfies Routing;

const client = createClient<typeof routing>({ baseUrl: "" });
const /* body */ body = await client./* provide */ provide("get /v1/users/:id", { id: "1" });
await client./* request */ request("post /v1/users", { name: "Ada" });
for await (const /* item */ item of client.iterate("get /v1/users")) void item;
for await (const /* event */ event of client.subscribe("get /v1/clock")) void event;
if (body.status === "success") void body./* data */ data;

const /* query */ query = queryOptions(client, "get /v1/users/:id", { id: "1" });
const /* mutation */ mutation = mutationOptions(client, "post /v1/users");
const /* whole */ whole = queryOptions(client, "get /v1/users/:id", { id: "1" }, { reply: true });
declare const /* failure */ failure: Parameters<NonNullable<typeof query.retryDelay>>[1];

void client.provide("");
void client.provide("get /v1/");
void client.provide("get /v1/users/");
void client.request("post /v1/");

const deep = createClient<typeof nested>({ baseUrl: "" });
void deep.download("get /");
void deep.download("put /");
void deep.download("get /v1/");
void deep.download("get /v1/patients/");
void deep.download("get /v1/patients/:id/");
void deep.download("get /v1/patients/:id/attachments/");
void deep.download("get /v1/files/");
void deep.download("get /v1/shared/");
void deep.download("get /v1/shared/notes/");
void deep.download("get /v1/tokens/");
void deep.download("post /v1/");
void deep.download("post /v1/tokens/");
void deep.download("post /v1/patients/");
void deep.download("post /v1/patients/:id/");
`,
);

let server: LanguageServer;
beforeAll(async () => {
  server = await startLanguageServer(program.folder);
});
afterAll(() => server.close());

const find = (mark: string): number => {
  const at = program.text.indexOf(mark);
  if (at < 0) throw new Error(`There is no ${mark}`);
  return at;
};

/** Returns the type that an editor shows for the code after a comment in the program. */
const show = async (comment: string): Promise<string> => {
  const mark = `/* ${comment} */ `;
  return server.hover(program.file, program.text, find(mark) + mark.length);
};

const user = "{ id: string; name: string; createdAt: string; }";
const body = `ErrorEnvelope | SuccessEnvelope<${user}>`;

const response = `Promise<${body}>`;

test.each([
  ["body", `const body: ${body}`],
  [
    "provide",
    `(property) provide: <"get /v1/users/:id">(key: "get /v1/users/:id", input: { id: string; }, options?: CallOptions | undefined) => ${response}`,
  ],
  ["item", `const item: ${user}`],
  [
    "event",
    'const event: { readonly event: "time"; readonly data: number; readonly id?: string | undefined; readonly retry?: number | undefined; }',
  ],
  ["data", `(property) SuccessEnvelope<${user}>.data: ${user}`],
])("the input and the output are shown as objects: %s", async (comment, shown) => {
  expect(await show(comment)).toBe(shown);
});

test.each([
  [
    "query",
    `RouteQueryOptions<${user}, ReplyError<ErrorStatus, ErrorEnvelope> | CallError, never>`,
  ],
  [
    "mutation",
    `RouteMutationOptions<{ name: string; age?: number | undefined; }, ${user}, ReplyError<409, ErrorEnvelopeWithData<number>> | ReplyError<OtherStatus<409>, ErrorEnvelope> | CallError>`,
  ],
  ["failure", "ReplyError<ErrorStatus, ErrorEnvelope> | CallError"],
  [
    "whole",
    `RouteQueryOptions<QueryReply<${user}, ReplyFields<{}>>, ReplyError<ErrorStatus, ErrorEnvelope> | CallError, never>`,
  ],
])(
  "options for TanStack Query show errors without the routing and the list of statuses: %s",
  async (name, shown) => {
    expect(await show(name)).toBe(`const ${name}: ${shown}`);
  },
);

test("outputs are shown as objects in the hover of a response with several statuses", async () => {
  const shown = await show("request");
  expect(shown).toContain("input: { name: string; age?: number | undefined; }");
  expect(shown).toContain(`SuccessReply<SuccessStatus, SuccessEnvelope<${user}>, {}>`);
});

test.each([
  ['provide("', ["delete /", "get /", "patch /", "post /", "put /", "query /"]],
  ['provide("get /v1/', ["get /v1/clock", "get /v1/users"]],
  ['provide("get /v1/users/', ["get /v1/users/:id"]],
  ['request("post /v1/', ["post /v1/users"]],
  ['download("get /', ["get /", "get /v1/"]],
  ['download("put /', ["put /", "put /v1/"]],
  [
    'download("get /v1/',
    ["get /v1/files/:id", "get /v1/patients", "get /v1/shared/notes", "get /v1/status/"],
  ],
  [
    'download("get /v1/patients/',
    ["get /v1/patients/:id", "get /v1/patients/export.csv", "get /v1/patients/put/"],
  ],
  ['download("get /v1/patients/:id/', ["get /v1/patients/:id/attachments"]],
  ['download("get /v1/patients/:id/attachments/', []],
  ['download("get /v1/files/', ["get /v1/files/:id"]],
  ['download("get /v1/shared/', ["get /v1/shared/notes"]],
  ['download("get /v1/shared/notes/', ["get /v1/shared/notes/:id"]],
  ['download("get /v1/tokens/', []],
  ['download("post /v1/', ["post /v1/patients/", "post /v1/shared/notes/", "post /v1/tokens"]],
  ['download("post /v1/tokens/', ["post /v1/tokens/deep/", "post /v1/tokens/renew"]],
  ['download("post /v1/patients/', ["post /v1/patients/:id/", "post /v1/patients/import"]],
  [
    'download("post /v1/patients/:id/',
    ["post /v1/patients/:id/archived", "post /v1/patients/:id/attachments/"],
  ],
])("route keys are completed segment by segment: %s", async (typed, keys) => {
  const at = find(`${typed}")`) + typed.length;
  const offered = await server.complete(program.file, program.text, at);
  const begun = typed.slice(typed.indexOf('"') + 1);
  // an editor shows the completions that begin with the typed text
  expect(offered.filter((label) => label.startsWith(begun))).toEqual(keys);
});
