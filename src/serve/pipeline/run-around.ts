import type { AnyMiddleware, AroundNext, Passed } from "../../define/endpoint/middleware.ts";
import { sent, type Outcome } from "../../define/endpoint/outcome.ts";
import { ServerFault, type ServerFaultCode } from "../../basics/errors.ts";
import type { RequestState } from "./request-state.ts";

/** Everything after a middleware that runs around it. */
export interface Inside {
  /** Adds to the context and runs what is inside; rejects with any error that is thrown there. */
  readonly run: (context: unknown) => Promise<Outcome>;
  /** Responds with an error that was raised after `run` was called, or logs it if the response has been sent. */
  readonly fail: (error: unknown) => void;
}

/** Runs a middleware around everything after it, and returns the outcome of that. */
export type Around = (args: never, state: RequestState, inside: Inside) => Promise<Outcome>;

const ignore = (): void => undefined;

/** The value that `next` resolves to; it matters only to the compiler. */
const passed = Object.freeze({}) as Passed<never>;

/** Runs an `around` middleware, and checks that it calls `next` once and in time. */
export const runAround =
  (around: NonNullable<AnyMiddleware["handleAround"]>): Around =>
  async (args, state, { run, fail }) => {
    let isRunning = false;
    let isOver = false;
    let first: Promise<unknown> | undefined;
    let misuse: ServerFault | undefined;
    let outcome: Outcome = sent;
    const isSent = (): boolean => !state.failure && state.phase !== "open";
    const refuse = (code: ServerFaultCode, act: string): never => {
      throw (misuse = new ServerFault(code, `An \`around\` middleware ${act}`));
    };
    const pass = async (context: object | undefined): Promise<Passed<never>> => {
      if (isOver || isSent())
        refuse(
          "SLP_AROUND_LATE",
          "called `next` after it had ended, or after it had sent the response",
        );
      if (first) refuse("SLP_AROUND_TWICE", "called `next` twice");
      isRunning = true;
      try {
        outcome = await run(context);
      } finally {
        isRunning = false;
      }
      return passed;
    };
    const next: AroundNext = (context?: object): Promise<Passed<never>> => {
      const passing = pass(context);
      // a middleware that does not await this promise must not cause an unhandled rejection
      passing.catch(ignore);
      first ??= passing;
      return passing;
    };
    try {
      await around(args, next);
    } catch (error) {
      isOver = true;
      // the error is sent at once, but what is outside goes on only when what is inside has ended
      if (isRunning) fail(error);
      await first?.catch(ignore);
      throw error;
    }
    isOver = true;
    await first;
    if (misuse) throw misuse;
    if (!first && !isSent())
      refuse("SLP_AROUND_NOT_CALLED", "did not call `next`, throw an error or send the response");
    return outcome;
  };
