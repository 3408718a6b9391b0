import type { ServerResponse } from "node:http";
import { closeAfterReply } from "../../reply/closing.ts";
import { loadNodeHttp } from "../../lazy/node-modules.ts";
import type { RunningRequests } from "../../pipeline/request-state.ts";
import { countWaiting } from "./serve-in-order.ts";

/** How long a connection is still read after its last response during a shutdown, in milliseconds. */
const shutdownLingering = 30;

/**
 * Makes each connection end with its last response, and aborts the signals of handlers. The method
 * `writeHead` is only replaced now, so that this costs nothing before a shutdown.
 */
export const beginShutdown = (prototype: ServerResponse, running: RunningRequests): void => {
  const { ServerResponse } = loadNodeHttp();
  Object.defineProperty(prototype, "writeHead", {
    configurable: true,
    writable: true,
    value(this: ServerResponse, ...head: Parameters<ServerResponse["writeHead"]>): ServerResponse {
      const waiting = countWaiting(this.req.socket);
      // requests that arrive after the last one are not served, but must not cause a reset of the connection
      if (waiting === 0) closeAfterReply(this.req, this, undefined, shutdownLingering);
      else if (waiting === undefined && !this.headersSent) this.setHeader("Connection", "close");
      return ServerResponse.prototype.writeHead.apply(this, head);
    },
  });
  running.stop();
};
