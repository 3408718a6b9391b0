import { RequestError } from "../../basics/errors.ts";
import { recordReply } from "../../wire/exchange/record-reply.ts";
import { awaitStore } from "../../serve/pipeline/await-store.ts";
import type { EndpointRun } from "../../serve/pipeline/endpoint-run.ts";
import type { RequestState } from "../../serve/pipeline/request-state.ts";
import { isDeparture, recover, sendingLimit } from "../../serve/pipeline/answer.ts";
import { readSafely } from "../../wire/reply/http-error.ts";
import { toLoggedPath } from "../../basics/http/logged-path.ts";
import { noReply, type Claim, type IdempotencyStore, type KeptReply } from "./idempotency-store.ts";

/** After how many milliseconds without an answer the store has failed. */
const storeTimeout = 5000;

/** The largest body that is kept, in bytes. */
const maxBytes = 1_048_576;

export interface Keeping {
  readonly store: IdempotencyStore;
  readonly ttl: number;
  readonly lease: number;
  readonly fields: readonly string[];
  readonly isKept: (status: number) => boolean;
}

/** Claims a key, or returns what is known of it; rejects with 503 when the store fails. */
export const claimKey = async ({ store, lease }: Keeping, claim: Claim) => {
  const claiming = (async () => store.claim(claim, lease))();
  try {
    return await awaitStore(claiming, storeTimeout);
  } catch (cause) {
    // the claim may arrive later, or may have arrived although its answer was lost
    const release = (): Promise<void> => store.release(claim);
    claiming.then(release, release).catch(() => undefined);
    throw new RequestError("SLP_STORE_UNAVAILABLE", { cause });
  }
};

/**
 * Runs the rest of a request, and settles once what happens to its key: a reply is kept before its end is sent, and the
 * key of a request that has failed is freed. If the work is done, but no reply tells of it, `noReply` is kept.
 */
export const keepReply = async <Result>(
  { store, ttl, lease, fields, isKept }: Keeping,
  claim: Claim,
  state: RequestState,
  next: () => Promise<Result>,
): Promise<Result> => {
  const { request, response, logger } = state;
  const run = state.run as EndpointRun;
  /** Whether the work is done; undefined while it runs. */
  let isDone: boolean | undefined;
  let sent: KeptReply | undefined;
  let settling: Promise<void> | undefined;
  let error: unknown;
  let giveUp: NodeJS.Timeout | undefined;
  const tell = async (send: () => Promise<void>): Promise<void> => {
    try {
      await awaitStore(send(), storeTimeout);
    } catch (failure) {
      logger.error("The store of idempotency keys failed", { error: failure });
    }
  };
  const log = (level: "error" | "warn", text: string): void => {
    logger[level](text, { method: request.method, path: toLoggedPath(request) });
  };
  let renewal: Promise<void> | undefined;
  let isLate = false;
  let isOver = false;
  const renew = async (): Promise<void> => {
    if ((await store.renew(claim, lease)) || isLate || isOver) return;
    isLate = true;
    log("error", "The lease of an idempotency key has ended before the store was told to renew it");
  };
  const renewing = setInterval(() => {
    // a store that is behind would only fall further behind
    renewal ??= tell(renew).finally(() => (renewal = undefined));
  }, lease / 3).unref();
  const keep = async (reply: KeptReply): Promise<void> => {
    if (await store.keep(claim, reply, ttl)) return;
    const text = "The lease of an idempotency key has ended, and another request has used the key";
    log("error", `${text}: both have run, and only the reply to the other one is kept`);
  };
  const endClaim = async (): Promise<void> => {
    clearInterval(renewing);
    clearTimeout(giveUp);
    const isRefused = readSafely(error, "code") === "SLP_INPUT_INVALID";
    const reply = sent && !isRefused && isKept(sent.status) ? sent : noReply;
    const isFree = reply === noReply && !isDone;
    // afterwards, the store could not tell whether it came too late
    if (renewal) await renewal;
    isOver = true;
    if (isFree) return store.release(claim);
    if (reply.body.length <= maxBytes) return keep(reply);
    log("warn", "A reply of more than 1 MiB is not kept, so repeated requests receive 422");
    return keep(noReply);
  };
  const settle = (): Promise<void> => (settling ??= tell(endClaim));
  // the client may ask for the reply later, although it has left now
  run.isReplyKept = true;
  const onEnd = (reply: KeptReply): Promise<void> | undefined => {
    sent = reply;
    // an error that is sent while the stages run, such as that of a time limit, says nothing about their outcome
    if (isDone === undefined && (state.failure || !isKept(reply.status))) return undefined;
    state.setSending(true);
    return settle();
  };
  recordReply(response, { fields, maxBytes }, onEnd, (defect) => recover(state, defect));
  try {
    const passed = await next();
    isDone = isKept(response.statusCode);
    return passed;
  } catch (thrown) {
    error = thrown;
    isDone = state.failure !== undefined && run.isDone;
    throw error;
  } finally {
    // nothing more is sent: the reply has broken off, an earlier failure was not sent, or the client has left
    const isUnsent =
      state.hasLeft &&
      (state.sentStatus !== undefined || state.failure !== undefined || isDeparture(error));
    if (isUnsent || state.phase === "ended") await settle();
    else {
      // a result handler may fail to send anything
      giveUp = setTimeout(() => void settle(), 2 * sendingLimit).unref();
      response.once("close", () => {
        if (run.isAnswered) void settle();
      });
    }
  }
};
