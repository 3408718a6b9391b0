/** The ways to make a client of the support desk; each declares `client`. */
export const deskClients: Readonly<Record<string, string>> = {
  inferred: `import { createClient } from "sallyport/client";
import type { createDesk } from "./support-desk.ts";
const client = createClient<ReturnType<typeof createDesk>["routing"]>({ baseUrl: "" });`,
  generated: `import { createClient } from "./client.ts";
const client = createClient({ baseUrl: "" });`,
  "inferred from generated types": `import { createClient } from "sallyport/client";
import type { routing } from "./api.ts";
const client = createClient<typeof routing>({ baseUrl: "" });`,
};

/** Calls of the support desk that compile with each of its clients, and others that do not. */
export const deskCalls = `
import { infiniteQueryOptions, mutationOptions, queryOptions } from "sallyport/tanstack-query";
type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const same = <One>() => <Other>(_other: Other, _is: Same<One, Other>): void => undefined;
const id = "1";
const match = { headers: { "if-match": '"1"' } };
const context = { signal: new AbortController().signal };
export const headers = async (): Promise<void> => {
  const reply = await client.request("put /v2/tickets/:id", { id, subject: "a" }, match);
  if (reply.ok) {
    same<string>()(reply.headers.get("etag"), true);
    same<string | null>()(reply.headers.get("x-other"), true);
    same<string>()(reply.body.subject, true);
  } else if (reply.status === 412) same<string>()(reply.body.data.current, true);
  else if (reply.status === 400) same<string>()(reply.body.detail, true);
  const read = await client.request("get /v2/tickets/:id", { id }, { headers: { "x-team": "red" } });
  if (read.ok) same<string | null>()(read.headers.get("x-team"), true);
  await client.provide("get /v2/tickets/:id", { id });
  await client.provide("put /v1/tickets/:id", { id, subject: "a" });
  await client.provide("put /v1/tickets/:id", { id, subject: "a" }, { timeout: 1, ...match });
  await client.provide("put /v2/tickets/:id", { id, subject: "a" }, { headers: async () => match.headers });
  // @ts-expect-error -- the header field is missing
  await client.provide("put /v2/tickets/:id", { id, subject: "a" });
  // @ts-expect-error -- the header field is missing
  await client.provide("put /v2/tickets/:id", { id, subject: "a" }, {});
  // @ts-expect-error -- the header field is missing
  await client.request("put /v2/tickets/:id", { id, subject: "a" }, { headers: {} });
  // @ts-expect-error -- the header field is no number
  await client.request("put /v1/tickets/:id", { id, subject: "a" }, { headers: { "if-match": 1 } });
};
export const envelopes = async (): Promise<void> => {
  const one = await client.request("put /v1/tickets/:id", { id, subject: "a" });
  if (one.ok) same<string>()(one.body.data.changedAt, true);
  else if (one.status === 412) same<string>()(one.body.error.data.changedAt, true);
  const two = await client.provide("get /v2/tickets/:id", { id });
  if ("detail" in two) same<string>()(two.detail, true);
  for await (const ticket of client.iterate("get /v1/tickets", { limit: 1 }))
    same<string>()(ticket.subject, true);
};
export const contents = async (): Promise<void> => {
  const file = await client.request("get /v2/tickets/:id/files/:name", { id, name: "photo" });
  if (file.ok) same<Blob>()(file.body, true);
  else if (file.status === 404) same<string>()(file.body.detail, true);
  for await (const event of client.subscribe("get /v2/tickets/:id/watch", { id }, { lastEventId: "1" })) {
    same<"changed">()(event.event, true);
    same<string>()(event.data.subject, true);
  }
  // @ts-expect-error -- not one of the names
  await client.download("get /v2/tickets/:id/files/:name", { id, name: "other" });
};
export const queries = async (): Promise<void> => {
  const mutation = mutationOptions(client, "put /v2/tickets/:id", match);
  same<string>()((await mutation.mutationFn({ id, subject: "a" })).subject, true);
  const byInput = mutationOptions(client, "put /v2/tickets/:id", ({ subject }) => ({
    headers: { "if-match": subject },
  }));
  same<string>()((await byInput.mutationFn({ id, subject: "a" })).subject, true);
  // @ts-expect-error -- the header field is missing
  mutationOptions(client, "put /v2/tickets/:id");
  // @ts-expect-error -- the header field is no date
  mutationOptions(client, "put /v2/tickets/:id", () => ({ headers: { "if-match": new Date() } }));
  mutationOptions(client, "put /v1/tickets/:id");
  type Failure = Parameters<NonNullable<typeof mutation.retryDelay>>[1];
  const explain = (error: Failure): string | undefined => {
    if (!("code" in error) || error.code !== "SLP_CLIENT_REPLY") return error.message;
    if (error.status !== 412) return error.body.detail;
    // @ts-expect-error -- the data has no such field
    void error.body.data.other;
    return error.body.data.current;
  };
  same<string | undefined>()(explain({} as Failure), true);
  same<string>()((await queryOptions(client, "get /v1/tickets/:id", { id }).queryFn(context)).id, true);
  const pages = infiniteQueryOptions(client, "get /v1/tickets", { limit: 1 });
  const { tickets } = await pages.queryFn({ ...context, pageParam: {}, });
  same<string | undefined>()(tickets[0]?.id, true);
};
`;
