import type { ServerResponse } from "node:http";
import type { Logger } from "../logger/logger.ts";

/** What is to be called at the end of one response. */
export interface Settling {
  readonly response: ServerResponse;
  readonly logger: Logger;
  /** The functions, once any was added; until they are called, the response has one `finish` and one `close` listener. */
  settling: (() => void)[] | undefined;
}

/** Calls a function once the response has been sent, or once its connection is closed before that. */
export const onSettled = (state: Settling, act: () => void): void => {
  if (state.settling) {
    state.settling.push(act);
    return;
  }
  const { response } = state;
  const acts = (state.settling = [act]);
  const settle = (): void => {
    response.off("finish", settle).off("close", settle);
    state.settling = undefined;
    for (const one of acts) {
      try {
        one();
      } catch (error) {
        // nothing could catch what is thrown in an event, and the others are called all the same
        state.logger.error("Server fault", { error });
      }
    }
  };
  // before the listeners of tools, which may read at the end what these functions complete
  response.prependListener("finish", settle).prependListener("close", settle);
};
