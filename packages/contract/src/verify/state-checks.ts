import { toText } from "../lock/json.ts";
import { reportAll } from "./access-checks.ts";
import { toSent, type Call } from "./call.ts";
import { newKey, toBaseCall, withField } from "./cases.ts";
import { toFinding, type CheckName } from "./check.ts";
import { findParameter, hasHeader, type Operation } from "./operation.ts";
import type { Attempt, Session } from "./session.ts";
import { listValid } from "./values.ts";

/** Repeats a call with its idempotency key. */
export const checkReplay = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (!hasHeader(operation, "idempotency-key")) return;
  if (!session.count(operation, "idempotent_replay")) return;
  await session.prepare(operation);
  const first = await send(session, withField(base, "header", "idempotency-key", newKey));
  if (!isSuccess(first)) return;
  const repeated = await session.send(first.sent);
  const again: Attempt = { sent: first.sent, received: repeated, findings: [] };
  const fail = failing(session, base, "idempotent_replay", "a request with the same key", again);
  if (repeated?.status !== first.received?.status || repeated?.text !== first.received?.text)
    return fail("A repeated request with the same idempotency key gets another reply.");
  if (repeated?.headers.get("idempotency-replayed") !== "true")
    return fail("The reply to a repeated request lacks Idempotency-Replayed: true.");
  const { sent } = first;
  // another query makes another request
  const other = { ...sent, url: `${sent.url}${sent.url.includes("?") ? "&" : "?"}other=1` };
  const conflict = await session.send(other);
  if ((conflict?.status ?? 0) < 400)
    fail("Another request with a used idempotency key is accepted.", {
      ...again,
      sent: other,
      received: conflict,
    });
};

/** Returns a tag that the document allows; undefined if the operation takes none. */
const toStaleTag = ({ api: { schemas } }: Session, operation: Operation): string | undefined => {
  const parameter = findParameter(operation, "header", "if-match");
  if (!parameter) return undefined;
  const { schema } = parameter;
  return [
    '"a-stale-version"',
    ...listValid(schema, schemas).map(({ value }) => toText(value)),
  ].find((tag) => tag !== "*" && schemas.isValid(schema, tag));
};

/** Writes with the tag of another version, and reads with the tag of this one. */
export const checkConditions = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const stale = toStaleTag(session, operation);
  if (stale !== undefined && session.count(operation, "conditional_write")) {
    await session.prepare(operation);
    const call = withField(base, "header", "if-match", stale);
    const label = "a write with a stale If-Match";
    const attempt = await session.attempt({
      call,
      kind: "neutral",
      label,
      check: "conditional_write",
    });
    reportAll(session, operation, label, attempt);
    const status = attempt.received?.status ?? 0;
    if (status < 500 && status !== 412)
      failing(
        session,
        base,
        "conditional_write",
        label,
        attempt,
      )(
        `A write with a stale If-Match is answered with ${status}.`,
        undefined,
        "assert.equal(response.status, 412);",
      );
  }
  const isRead = operation.method === "get" && "304" in operation.replies;
  if (!isRead || !hasHeader(operation, "if-none-match")) return;
  const first = await send(session, base);
  const tag = first.received?.headers.get("etag");
  if (!isSuccess(first) || !tag || !session.count(operation, "conditional_read")) return;
  const call = withField(base, "header", "if-none-match", tag);
  const label = "a read with the current ETag";
  const attempt = await session.attempt({
    call,
    kind: "neutral",
    label,
    check: "conditional_read",
  });
  if (attempt.received?.status !== 304)
    failing(
      session,
      base,
      "conditional_read",
      label,
      attempt,
    )(
      `A read with the ETag that was just sent is answered with ${attempt.received?.status ?? 0}.`,
      undefined,
      "assert.equal(response.status, 304);",
    );
};

/** Asks for parts of a file, and for one that has not changed. */
export const checkParts = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (!("206" in operation.replies)) return;
  const first = await send(session, base);
  const tag = first.received?.headers.get("etag") ?? "*";
  const asked: readonly Readonly<Record<string, string>>[] = [
    ...[{ range: "bytes=0-0" }, { range: "bytes=999999999999-" }],
    ...[{ "if-none-match": tag }, { "if-match": '"a-stale-version"' }],
  ];
  for (const fields of asked) {
    const call = { ...base, header: { ...base.header, ...fields } };
    const label = `a request with ${Object.keys(fields).join()}`;
    reportAll(session, operation, label, await send(session, call));
  }
};

const maxPages = 100;

/** Follows the pages of a list to their end. */
export const checkPages = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const names = new Set(
    operation.parameters.filter((one) => one.in === "query").map(({ name }) => name),
  );
  const style = names.has("cursor") ? "cursor" : names.has("offset") ? "offset" : undefined;
  if (operation.method !== "get" || style === undefined) return;
  const limit = operation.parameters.find(({ name }) => name === "limit")?.schema["maximum"];
  // small pages show the step from one to the next, large ones the end
  for (const size of [2, typeof limit === "number" ? limit : undefined])
    await followPages(session, base, style, size);
};

const followPages = async (
  session: Session,
  base: Call,
  style: "cursor" | "offset",
  size: number | undefined,
): Promise<void> => {
  let call = size === undefined ? base : withField(base, "query", "limit", size);
  let offset = 0;
  let before: string | undefined;
  const cursors = new Set<string>();
  for (let page = 0; page < (size === 2 ? 3 : maxPages); page++) {
    const attempt = await send(session, call);
    reportAll(session, base.operation, "a page", attempt);
    const body = readPage(attempt.received?.json);
    if (!isSuccess(attempt) || !body || !session.count(base.operation, "pages_end")) return;
    const fail = failing(session, base, "pages_end", "pages, one after the other", attempt);
    const items = Object.values(body).find(Array.isArray) as readonly unknown[] | undefined;
    const text = JSON.stringify(items);
    if (items && items.length > 0 && text === before)
      return fail("A page has the same items as the page before it.");
    if (size !== undefined && items && items.length > size)
      return fail(`A page has ${items.length} items, but limit is ${size}.`);
    before = text;
    const { nextCursor, total } = body;
    if (style === "cursor") {
      if (typeof nextCursor !== "string") return;
      if (cursors.has(nextCursor)) return fail("Pages do not end: a cursor comes again.");
      cursors.add(nextCursor);
      call = withField(call, "query", "cursor", nextCursor);
    } else {
      offset += items?.length ?? 0;
      if (typeof total !== "number" || offset >= total) return;
      if (!items || items.length === 0)
        return fail(`A page is empty, but only ${offset} of ${total} items have come.`);
      call = withField(call, "query", "offset", offset);
    }
    if (page === maxPages - 1) fail(`Pages do not end: there are more than ${maxPages}.`);
  }
};

const readPage = (json: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (typeof json !== "object" || json === null) return undefined;
  const isPage = "nextCursor" in json || "total" in json;
  return isPage ? json : "data" in json ? readPage(json.data) : undefined;
};

/** Reads what was deleted. */
export const checkDeleted = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const reading = session.api.operations.find(
    ({ route, method }) => route === operation.route && method === "get",
  );
  if (operation.method !== "delete" || !reading || !operation.route.includes(":")) return;
  if (!session.count(operation, "use_after_free")) return;
  await session.prepare(operation);
  const deleted = await send(session, base);
  if (!isSuccess(deleted)) return;
  const credentials = (await session.logIn(reading, "own")) ?? {};
  const read = toBaseCall(reading, {}, credentials, session.api.schemas);
  const [path = ""] = deleted.sent.url.split("?", 1);
  const sent = { ...toSent(read), url: path };
  const received = await session.send(sent);
  const status = received?.status ?? 0;
  const again: Attempt = { sent, received, findings: [] };
  if (![404, 410].includes(status) && status < 500)
    failing(
      session,
      base,
      "use_after_free",
      "a read of what was deleted",
      again,
    )(
      `What was deleted is read with ${status}.`,
      undefined,
      "assert.ok([404, 410].includes(response.status)); // after the DELETE",
    );
};

const send = (session: Session, call: Call): Promise<Attempt> =>
  session.attempt({ call, kind: "neutral", label: "", check: "positive_answer" });

const isSuccess = ({ received }: Attempt): boolean =>
  received !== undefined && received.status >= 200 && received.status < 300;

const failing =
  (session: Session, { operation }: Call, check: CheckName, label: string, attempt: Attempt) =>
  (message: string, other: Attempt = attempt, expectation = ""): void =>
    session.report(operation, label, other, toFinding(check, message, expectation));
