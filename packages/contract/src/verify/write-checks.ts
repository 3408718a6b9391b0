import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { accepts, listValid, toText } from "@sallyport/document";
import type { Call, Fields, Sent } from "./call.ts";
import { listCases, newKey, withField } from "./cases.ts";
import { findParameter, hasHeader, isProtected, type Operation } from "./operation.ts";
import { toReading } from "./read-checks.ts";
import { isSuccess, type Received } from "./received.ts";
import type { Session } from "./session.ts";
import { tryCheck, type Trial } from "./trial.ts";

/** Repeats a call with its idempotency key. */
export const checkReplay = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (!hasHeader(operation, "idempotency-key")) return;
  const keyed = withField(base, "header", "idempotency-key", newKey);
  const label = "a request with the same key";
  await tryCheck(session, operation, "idempotent_replay", label, async (trial) => {
    await trial.prepare();
    const first = await trial.call(keyed);
    if (!isSuccess(first)) return false;
    const { sent } = trial;
    const again = await trial.send(sent);
    if (again.status !== first.status || again.text !== first.text)
      return trial.fail(
        "A repeated request with the same idempotency key gets another reply.",
        "assert.equal(await response.text(), await before.clone().text());",
      );
    // the rest is how this framework does it
    if (!session.api.isFramework) return true;
    if (again.headers.get("idempotency-replayed") !== "true")
      return trial.fail(
        "The reply to a repeated request lacks Idempotency-Replayed: true.",
        'assert.equal(response.headers.get("idempotency-replayed"), "true");',
      );
    // another query makes another request
    const { url } = sent;
    const conflict = await trial.send({
      ...sent,
      url: `${url}${url.includes("?") ? "&" : "?"}other=1`,
    });
    if (conflict.status >= 400) return true;
    return trial.fail(
      "Another request with a used idempotency key is accepted.",
      "assert.ok(response.status >= 400);",
    );
  });
};

/** Returns a tag that the document allows; undefined if the operation takes none. */
const toStaleTag = (operation: Operation): string | undefined => {
  const parameter = findParameter(operation, "header", "if-match");
  if (!parameter) return undefined;
  const { schema } = parameter;
  return ['"a-stale-version"', ...listValid(schema).map(({ value }) => toText(value))].find(
    (tag) => tag !== "*" && accepts(schema, tag),
  );
};

/** Writes with the tag of another version. */
export const checkStaleWrite = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const stale = toStaleTag(operation);
  if (stale === undefined) return;
  const label = "a write with a stale If-Match";
  await tryCheck(session, operation, "conditional_write", label, async (trial) => {
    await trial.prepare();
    const { status } = await trial.call(withField(base, "header", "if-match", stale));
    if (status >= 500 || status === 412) return true;
    return trial.fail(
      `A write with a stale If-Match is answered with ${status}.`,
      "assert.equal(response.status, 412);",
    );
  });
};

/** How often two requests are sent at once: on a busy machine, the second one may come when the first one has ended. */
const maxRounds = 3;

const withKey = (base: Call): Call => withField(base, "header", "idempotency-key", randomUUID());

/** Sends one request with an idempotency key twice at once. */
export const checkConcurrentReplay = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (!hasHeader(operation, "idempotency-key")) return;
  const label = "two requests with the same key at once";
  await tryCheck(session, operation, "concurrent_replay", label, async (trial) => {
    for (let round = 0; round < maxRounds; round++) {
      await trial.prepare();
      const sent = session.write(withKey(base));
      const [one, other] = await trial.sendTogether(sent, sent);
      if (!isSuccess(one) && !isSuccess(other)) return false;
      if (!isSuccess(one) || !isSuccess(other) || one.text === other.text) continue;
      return trial.fail(
        "Two requests at once with the same idempotency key are both carried out.",
        `assert.ok(
  before.status === 409 || response.status === 409 || (await before.text()) === (await response.text()),
);`,
      );
    }
    return true;
  });
};

/** Sends a request with the idempotency key of another caller. */
export const checkKeyOwner = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (!hasHeader(operation, "idempotency-key") || !isProtected(operation)) return;
  const credentials = await session.logIn(operation, "other");
  if (!credentials) return;
  const label = "the key of another";
  await tryCheck(session, operation, "ignored_key_owner", label, async (trial) => {
    await trial.prepare();
    const keyed = withKey(base);
    const own = session.write(keyed);
    const first = await trial.send(own);
    if (!isSuccess(first)) return false;
    const theirs = await trial.send(session.write({ ...keyed, credentials }));
    if (!isSuccess(theirs)) return true;
    const isReplayed = theirs.headers.get("idempotency-replayed") === "true";
    const isSame = theirs.text === first.text;
    if (!isReplayed && !isSame) return true;
    // each reply may be the same
    if (
      !isReplayed &&
      (await session.send(session.write(withKey(base)), operation))?.text === first.text
    )
      return false;
    return trial.fail(
      "One who uses the idempotency key of another gets the other's reply.",
      "assert.notEqual(await response.text(), await before.text());",
    );
  });
};

/** Returns a call with another body, which the document allows as well; the same call if there is none. */
const toVariant = (base: Call, fields: Fields): Call =>
  listCases(base, fields).find(
    ({ call, kind }) =>
      kind === "positive" &&
      call.body?.type === base.body?.type &&
      !isDeepStrictEqual(call.body, base.body),
  )?.call ?? base;

const withTag = (sent: Sent, tag: string): Sent => ({
  ...sent,
  headers: { ...sent.headers, "if-match": tag },
});

/** Writes twice with the same tag, one after the other and at once. */
export const checkLostUpdate = async (
  session: Session,
  base: Call,
  fields: Fields,
): Promise<void> => {
  const { operation } = base;
  const isWrite = ["put", "patch", "post"].includes(operation.method);
  if (!isWrite || !hasHeader(operation, "if-match")) return;
  const variant = toVariant(base, fields);
  const toText = async (reply: Received, reading: Sent | undefined): Promise<string> =>
    (reading && (await session.send(reading, operation))?.text) ?? reply.text;
  /** Writes, and finds the tag of what was written. */
  const begin = async (trial: Trial) => {
    await trial.prepare();
    const [one, other] = [session.write(base), session.write(variant)];
    const reading = await toReading(session, operation, one.url);
    const first = await trial.send(one);
    const tag = await findTag(session, operation, first, reading);
    return isSuccess(first) && tag !== undefined ? { one, other, reading, first, tag } : undefined;
  };
  let hasChanged = false;
  const label = "two writes with the same If-Match";
  await tryCheck(session, operation, "lost_update", label, async (trial) => {
    const begun = await begin(trial);
    if (!begun) return false;
    const { one, other, tag, first, reading } = begun;
    const before = await toText(first, reading);
    const second = await trial.send(withTag(other, tag));
    // the same tag may stand for what is still the same
    hasChanged = isSuccess(second) && (await toText(second, reading)) !== before;
    if (!hasChanged) return false;
    const { status } = await trial.send(withTag(one, tag));
    if (status === 412 || status >= 500) return true;
    const isConstant = second.headers.get("etag") === tag;
    return trial.fail(
      `Of two writes with the same If-Match, the second one is answered with ${status}${isConstant ? ", and the ETag is still the same" : ""}.`,
      "assert.equal(response.status, 412);",
    );
  });
  if (!hasChanged) return;
  await tryCheck(session, operation, "lost_update", `${label} at once`, async (trial) => {
    for (let round = 0; round < maxRounds; round++) {
      const begun = await begin(trial);
      if (!begun) return false;
      const sent = withTag(begun.other, begun.tag);
      // what is checked and written without a pause is not told apart from what is checked within a transaction
      const both = await trial.sendTogether(sent, sent, true);
      if (!both.some(isSuccess)) return false;
      if (!both.every(isSuccess)) continue;
      return trial.fail(
        "Two writes at once with the same If-Match are both carried out.",
        "assert.ok([before.status, response.status].includes(412));",
      );
    }
    return true;
  });
};

/** Finds the strong tag of what was just written. */
const findTag = async (
  session: Session,
  operation: Operation,
  { headers }: Received,
  reading: Sent | undefined,
): Promise<string | undefined> => {
  const own = headers.get("etag");
  const tag = own ?? (reading && (await session.send(reading, operation))?.headers.get("etag"));
  // a weak tag fits no If-Match
  return !tag || tag.startsWith("W/") ? undefined : tag;
};
