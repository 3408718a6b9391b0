import { toText } from "../lock/json.ts";
import type { Call } from "./call.ts";
import { newKey, withField } from "./cases.ts";
import { findParameter, hasHeader, type Operation } from "./operation.ts";
import { isSuccess } from "./received.ts";
import type { Session } from "./session.ts";
import { listValid } from "./values.ts";

/** Repeats a call with its idempotency key. */
export const checkReplay = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (!hasHeader(operation, "idempotency-key")) return;
  const keyed = withField(base, "header", "idempotency-key", newKey);
  const label = "a request with the same key";
  await session.check(operation, "idempotent_replay", label, async (trial) => {
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
const toStaleTag = ({ api: { schemas } }: Session, operation: Operation): string | undefined => {
  const parameter = findParameter(operation, "header", "if-match");
  if (!parameter) return undefined;
  const { schema } = parameter;
  return [
    '"a-stale-version"',
    ...listValid(schema, schemas).map(({ value }) => toText(value)),
  ].find((tag) => tag !== "*" && schemas.isValid(schema, tag));
};

/** Writes with the tag of another version. */
export const checkStaleWrite = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const stale = toStaleTag(session, operation);
  if (stale === undefined) return;
  const label = "a write with a stale If-Match";
  await session.check(operation, "conditional_write", label, async (trial) => {
    await trial.prepare();
    const { status } = await trial.call(withField(base, "header", "if-match", stale));
    if (status >= 500 || status === 412) return true;
    return trial.fail(
      `A write with a stale If-Match is answered with ${status}.`,
      "assert.equal(response.status, 412);",
    );
  });
};
