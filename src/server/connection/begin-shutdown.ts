import type { ServerResponse } from "node:http";
import { closeAfterReply } from "../../http/lingering-close.ts";
import { loadNodeHttp } from "../../lazy/node-modules.ts";
import type { Stoppables } from "../../pipeline/stoppables.ts";
import { countWaiting } from "./request-queue.ts";

/** For how long a connection is read behind its last reply at a shutdown, in milliseconds. */
const shutdownLingering = 30;

/**
 * From now on the last reply of each connection ends it, and whoever has asked for a signal is told; put into the class when
 * it is needed, so that it costs nothing before.
 */
export const beginShutdown = ({
  ServerResponse: { prototype },
  toStop,
}: {
  readonly ServerResponse: { readonly prototype: ServerResponse };
  readonly toStop: Stoppables;
}): void => {
  const { ServerResponse } = loadNodeHttp();
  Object.defineProperty(prototype, "writeHead", {
    configurable: true,
    writable: true,
    value(this: ServerResponse, ...head: Parameters<ServerResponse["writeHead"]>): ServerResponse {
      const waiting = countWaiting(this.req.socket);
      // what came behind the last one by now is not read, but must not reset the connection
      if (waiting === 0) closeAfterReply(this.req, this, undefined, shutdownLingering);
      else if (waiting === undefined && !this.headersSent) this.setHeader("Connection", "close");
      return ServerResponse.prototype.writeHead.apply(this, head);
    },
  });
  toStop.stop();
};
