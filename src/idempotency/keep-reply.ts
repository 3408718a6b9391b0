import type { AroundNext, Passed } from "../endpoint/middleware.ts";
import { RequestError } from "../errors.ts";
import type { Logger } from "../logger/logger.ts";
import { inTime } from "../pipeline/in-time.ts";
import type { RequestState } from "../pipeline/request-state.ts";
import { isDeparture, sendingLimit } from "../pipeline/send-result.ts";
import { isAbandoned } from "../reply/response-state.ts";
import { toLoggedPath } from "../results/log-fault.ts";
import type { EmptyObject } from "../schemas/schema.ts";
import { recordReply, type RecordedReply } from "./record-reply.ts";
import type { Claim, IdempotencyStore, KeptReply, UsedKey } from "./store.ts";

/** After how many milliseconds without an answer the store has failed. */
const storeTimeout = 5000;

/** How replies are kept. */
export interface Keeping {
  readonly store: IdempotencyStore;
  readonly ttl: number;
  readonly lease: number;
  /** The header fields that are kept. */
  readonly fields: readonly string[];
  readonly isKept: (status: number) => boolean;
}

/** What is kept of a request that must not run again, although its reply is not known. */
const noReply: KeptReply = { status: 0, headers: {}, body: "" };

/** Tells the store something; a failure is only logged. */
const tell = async (logger: Logger, send: () => Promise<void>): Promise<void> => {
  try {
    await inTime(send(), storeTimeout);
  } catch (error) {
    logger.error("The store of idempotency keys failed", { error });
  }
};

/**
 * Claims a key, or returns what is known of it.
 *
 * @throws {@link RequestError} with 503 when the store fails.
 */
export const claimKey = async (
  store: IdempotencyStore,
  claim: Claim,
  lease: number,
): Promise<UsedKey | undefined> => {
  const claiming = (async () => store.claim(claim, lease))();
  try {
    return await inTime(claiming, storeTimeout);
  } catch (cause) {
    // the claim may arrive later, or may have arrived although its answer was lost
    claiming
      .catch(() => undefined)
      .then((used) => (used ? undefined : store.release(claim)))
      .catch(() => undefined);
    throw new RequestError("SLP_STORE_UNAVAILABLE", { cause });
  }
};

/**
 * Runs the rest of a request, and decides once what happens to its key: a reply is kept before its end is sent, and the
 * key of a request that has failed is freed. If the work is done, but no reply tells of it, `noReply` is kept.
 */
export const keepReply = async (
  { store, ttl, lease, fields, isKept }: Keeping,
  claim: Claim,
  state: RequestState,
  next: AroundNext,
): Promise<Passed<EmptyObject>> => {
  const { request, response, logger } = state;
  let outcome: "done" | "failed" | undefined;
  let sent: RecordedReply | undefined;
  let isDecided = false;
  let giveUp: NodeJS.Timeout | undefined;
  const renewing = setInterval(
    () => void tell(logger, () => store.renew(claim, lease)),
    lease / 3,
  ).unref();
  const decide = (): Promise<void> => {
    isDecided = true;
    clearInterval(renewing);
    clearTimeout(giveUp);
    const kept = sent && isKept(sent.status) ? sent : undefined;
    if (!kept && outcome !== "done") return tell(logger, () => store.release(claim));
    if (kept && kept.body === undefined)
      logger.warn("A reply of more than 1 MiB is not kept, so repeated requests receive 422", {
        method: request.method,
        path: toLoggedPath(request),
      });
    const reply = kept?.body === undefined ? noReply : { ...kept, body: kept.body };
    return tell(logger, () => store.keep(claim, reply, ttl));
  };
  // the client may ask for the reply later, although it has left now
  state.isReplyKept = true;
  recordReply(state, fields, (reply) => {
    if (isDecided) return undefined;
    sent = reply;
    // an error that is sent while the stages run, such as that of a time limit, says nothing about their outcome
    if (!outcome && (state.failure || !isKept(reply.status))) return undefined;
    state.isSending = true;
    return decide();
  });
  let isUnsent = false;
  try {
    const passed = await next();
    outcome = isKept(response.statusCode) ? "done" : "failed";
    return passed;
  } catch (error) {
    outcome = state.failure && state.isDone ? "done" : "failed";
    // what is thrown because the client has left is not sent, and an earlier failure may not have been
    isUnsent = isAbandoned(response) && (state.failure !== undefined || isDeparture(error));
    throw error;
  } finally {
    if (!isDecided && (isUnsent || response.writableEnded)) await decide();
    // a result handler may fail to send anything
    if (!isDecided) giveUp = setTimeout(() => void decide(), 2 * sendingLimit).unref();
  }
};
