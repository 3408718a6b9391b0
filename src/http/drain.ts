import type { IncomingMessage } from "node:http";

/** Reads the rest of a body, no matter who began to read it, or how. */
export const drain = (request: IncomingMessage): void => {
  if (request.listenerCount("readable") > 0) {
    // with a listener for `readable`, `resume` has no effect
    const readAll = (): void => {
      while (request.read() !== null);
    };
    request.on("readable", readAll);
    readAll();
  } else {
    request.resume();
  }
};
