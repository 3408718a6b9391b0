import type { IncomingMessage } from "node:http";

/** Reads what is left of a body, whoever has begun to read it and in whatever way. */
export const drain = (request: IncomingMessage): void => {
  if (request.listenerCount("readable") > 0) {
    // beside such a listener `resume` has no effect
    const readAll = (): void => {
      while (request.read() !== null);
    };
    request.on("readable", readAll);
    readAll();
  } else {
    request.resume();
  }
};
