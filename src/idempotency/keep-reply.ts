import type { AroundNext, Passed } from "../endpoint/middleware.ts";
import { RequestError } from "../errors.ts";
import type { Response } from "../http/express-objects.ts";
import type { Logger } from "../logger/logger.ts";
import { inTime } from "../pipeline/in-time.ts";
import type { RequestState } from "../pipeline/request-state.ts";
import { isDeparture, recover, sendingLimit } from "../pipeline/send-result.ts";
import { isAbandoned } from "../reply/response-state.ts";
import { toLoggedPath } from "../results/log-fault.ts";
import type { EmptyObject } from "../schemas/schema.ts";
import { InputValidationError } from "../schemas/validation-errors.ts";
import type { Claim, IdempotencyStore, KeptReply, UsedKey } from "./store.ts";

/** After how many milliseconds without an answer the store has failed. */
const storeTimeout = 5000;

/** The largest body that is kept, in bytes. */
const maxBytes = 1_048_576;

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
  let sent: KeptReply | undefined;
  let error: unknown;
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
    const isRefused = error instanceof InputValidationError;
    const reply = sent && !isRefused && isKept(sent.status) ? sent : noReply;
    if (reply === noReply && outcome !== "done") return tell(logger, () => store.release(claim));
    const isLarge = reply.body.length > maxBytes;
    if (isLarge)
      logger.warn("A reply of more than 1 MiB is not kept, so repeated requests receive 422", {
        method: request.method,
        path: toLoggedPath(request),
      });
    return tell(logger, () => store.keep(claim, isLarge ? noReply : reply, ttl));
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
  try {
    const passed = await next();
    outcome = isKept(response.statusCode) ? "done" : "failed";
    return passed;
  } catch (thrown) {
    error = thrown;
    outcome = state.failure && state.isDone ? "done" : "failed";
    throw error;
  } finally {
    // nothing more is sent: the reply has broken off, an earlier failure was not sent, or the client has left
    const isUnsent =
      isAbandoned(response) &&
      (response.headersSent || state.failure !== undefined || isDeparture(error));
    if (!isDecided && (isUnsent || response.writableEnded)) await decide();
    if (!isDecided) {
      // a result handler may fail to send anything
      giveUp = setTimeout(() => void decide(), 2 * sendingLimit).unref();
      response.once("close", () => {
        if (!isDecided && state.isAnswered) void decide();
      });
    }
  }
};

type Method = (...args: readonly unknown[]) => never;
type Methods = Record<"end" | "write" | "writeHead", Method>;

/** The header fields with which Node does not need to be told the length of the body. */
const framing = ["Content-Length", "Transfer-Encoding", "Trailer"];

/**
 * Records what is sent with a response, whichever way it is sent. What comes after the end is ignored.
 *
 * @param fields the names of the header fields to record
 * @param onEnd receives the reply before its end is sent, and may return a promise that the end waits for; a body that is
 * too large ends at any place after `maxBytes`
 */
const recordReply = (
  state: RequestState,
  fields: readonly string[],
  onEnd: (reply: KeptReply) => Promise<void> | undefined,
): void => {
  const { response } = state;
  const methods = response as unknown as Methods;
  const find = (name: keyof Methods): Method => {
    const own = Object.hasOwn(response, name) ? methods[name] : undefined;
    // a shutdown may replace the method of the prototype later
    const toMethod = (): Method => own ?? (Object.getPrototypeOf(response) as Methods)[name];
    return (...args) => Reflect.apply(toMethod(), response, args);
  };
  const [end, write, writeHead] = [find("end"), find("write"), find("writeHead")];
  let head: Omit<KeptReply, "body"> = noReply;
  let body = "";
  let isEnded = false;
  const record = (bytes: Buffer): void => {
    if (body.length <= maxBytes) body += bytes.toString("latin1", 0, maxBytes + 1);
  };
  methods.writeHead = (status, ...rest) => {
    if (!response.headersSent) {
      setFields(response, rest.at(-1));
      head = { status: Number(status), headers: readFields(response, fields) };
    }
    return writeHead(status, ...rest.filter((one) => typeof one === "string"));
  };
  methods.write = (...args) => {
    if (isEnded) return false as never;
    const isFlowing = write(...args);
    record(toBytes(args));
    return isFlowing;
  };
  methods.end = (...args) => {
    if (isEnded) return response as never;
    // Node refuses other chunks
    if (args[0] && !["string", "function"].includes(typeof args[0]) && !isBytes(args[0]))
      return end(...args);
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
    if (!holding) return end(...args);
    // the reply is complete, so an error that comes now must not cut it off
    Object.defineProperty(response, "writableEnded", { configurable: true, value: true });
    const send = async (): Promise<void> => {
      await holding;
      Reflect.deleteProperty(response, "writableEnded");
      end(...args);
    };
    send().catch((error: unknown) => recover(state, error));
    return response as never;
  };
};

/** Sets the header fields that `writeHead` was given: an object, or an array of names and values. */
const setFields = (response: Response, given: unknown): void => {
  if (typeof given !== "object" || given === null) return;
  const list: readonly unknown[] = Array.isArray(given) ? given : Object.entries(given).flat();
  const pairs = list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : []));
  for (const [name] of pairs as [string][]) response.removeHeader(name);
  for (const [name, value] of pairs as [string, string][]) response.appendHeader(name, value);
};

const readFields = (response: Response, names: readonly string[]): KeptReply["headers"] =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = response.getHeader(name);
      if (value === undefined) return [];
      return [[name, Array.isArray(value) ? value : String(value)] as const];
    }),
  );

const isBytes = (chunk: unknown): chunk is Uint8Array => chunk instanceof Uint8Array;

/** Returns the bytes that were passed to `write` or `end`. */
const toBytes = ([chunk, encoding]: readonly unknown[]): Buffer => {
  if (typeof chunk === "string")
    return Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");
  return Buffer.from(isBytes(chunk) ? chunk : "");
};
