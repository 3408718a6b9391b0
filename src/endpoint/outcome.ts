import { isResultHandler, resultHandlerMark } from "../results/result-handler.ts";

/** What became of the stages of an endpoint, unless they have failed: an output, or one of the following. */
export type Outcome = unknown;

/** The outcome of stages that leave nothing to send: the response has been sent, or the client has left. */
export const noOutput: unique symbol = Symbol.for("sallyport/no-output");

/** The outcome of a stage that answers in place of the result handler; the output remains known. */
export class OwnReply {
  readonly [resultHandlerMark] = true;
  readonly output: unknown;
  readonly handle: () => unknown;

  constructor(output: unknown, handle: () => unknown) {
    this.output = output;
    this.handle = handle;
  }
}

export const isOwnReply = (outcome: Outcome): outcome is OwnReply => isResultHandler(outcome);
