import { RequestError } from "../errors.ts";
import { holdEnd, replaceMethods } from "../exchange/replace-methods.ts";
import type { Response } from "../http/express-objects.ts";
import { awaitStore } from "../pipeline/await-store.ts";
import type { EndpointRun } from "../pipeline/endpoint-run.ts";
import type { RequestState } from "../pipeline/request-state.ts";
import { isDeparture, recover, sendingLimit } from "../pipeline/answer.ts";
import { readSafely } from "../reply/http-error.ts";
import { isAbandoned, setSending } from "../exchange/response-state.ts";
import { toLoggedPath } from "../results/log-fault.ts";
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
  recordReply(state, fields, (reply) => {
    sent = reply;
    // an error that is sent while the stages run, such as that of a time limit, says nothing about their outcome
    if (isDone === undefined && (state.failure || !isKept(reply.status))) return undefined;
    setSending(state, true);
    return settle();
  });
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
      isAbandoned(response) &&
      (response.headersSent || state.failure !== undefined || isDeparture(error));
    if (isUnsent || response.writableEnded) await settle();
    else {
      // a result handler may fail to send anything
      giveUp = setTimeout(() => void settle(), 2 * sendingLimit).unref();
      response.once("close", () => {
        if (run.isAnswered) void settle();
      });
    }
  }
};

/** The header fields with which Node does not need to be told the length of the body. */
const framing = ["Content-Length", "Transfer-Encoding", "Trailer"];

/**
 * Records what is sent with a response, whichever way it is sent. What comes after the end is ignored.
 *
 * @param onEnd receives the reply before its end is sent, and may return a promise that the end waits for; a body that is
 * too large ends at any place after `maxBytes`
 */
const recordReply = (
  state: RequestState,
  fields: readonly string[],
  onEnd: (reply: KeptReply) => Promise<void> | undefined,
): void => {
  const { response } = state;
  let head: Omit<KeptReply, "body"> = noReply;
  let body = "";
  let isEnded = false;
  const record = (bytes: Buffer): void => {
    if (body.length <= maxBytes) body += bytes.toString("latin1", 0, maxBytes + 1);
  };
  replaceMethods(response, {
    writeHead: (original) =>
      function (status, ...rest) {
        if (!response.headersSent) {
          setFields(response, rest.at(-1));
          const headers: Record<string, string | readonly string[]> = {};
          for (const name of fields) {
            const value = response.getHeader(name);
            if (value !== undefined) headers[name] = Array.isArray(value) ? value : String(value);
          }
          head = { status: Number(status), headers };
        }
        const reason = rest.filter((one) => typeof one === "string");
        return Reflect.apply(original, response, [status, ...reason]);
      },
    write: (original) =>
      function (...args) {
        if (isEnded) return false;
        const isFlowing = Reflect.apply(original, response, args);
        record(toBytes(args));
        return isFlowing;
      },
    end: (original) =>
      function (...args) {
        if (isEnded) return response;
        const bytes = toBytes(args);
        // from now on, nothing can change the head
        if (!response.headersSent) {
          const { statusCode } = response;
          if (![204, 304].includes(statusCode) && !framing.some((name) => response.hasHeader(name)))
            response.setHeader("Content-Length", bytes.length);
          response.writeHead(statusCode);
        }
        isEnded = true;
        record(bytes);
        const holding = onEnd({ ...head, body });
        if (!holding) return Reflect.apply(original, response, args);
        const release = holdEnd(response);
        const send = (): void => {
          release();
          Reflect.apply(original, response, args);
        };
        holding.then(send).catch((error: unknown) => recover(state, error));
        return response;
      },
  });
};

/** Sets the header fields that `writeHead` was given: an object, or an array of names and values. */
const setFields = (response: Response, given: unknown): void => {
  if (typeof given !== "object" || given === null) return;
  const list = (Array.isArray(given) ? given : Object.entries(given).flat()) as string[];
  const pairs = list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : []));
  for (const [name] of pairs as [string][]) response.removeHeader(name);
  for (const [name, value] of pairs as [string, string][]) response.appendHeader(name, value);
};

/** Returns the bytes that were passed to `write` or `end`; throws, as these do, if the chunk is of another type. */
const toBytes = ([chunk, encoding]: readonly unknown[]): Buffer => {
  if (!chunk || typeof chunk === "function") return Buffer.alloc(0);
  if (typeof chunk !== "string") return Buffer.concat([chunk as Uint8Array]);
  return Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");
};
