import type { Server } from "node:http";
import type { Socket } from "node:net";
import { findReply } from "./running-reply.ts";

/**
 * Keeps replies whose client is still reading them out of `closeIdleConnections`, which `close` calls as well.
 *
 * Node takes a connection for idle once its reply is ended, although bytes of it may still wait in this process.
 */
export const spareUnsentReplies = (server: Server): void => {
  const sockets = new Set<Socket>();
  const onConnection = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  server.on("connection", onConnection).on("secureConnection", onConnection);
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const unsent = [...sockets].flatMap((socket) => {
      const reply = findReply(socket);
      return reply?.finished === true && socket.writableLength > 0 ? reply : [];
    }) as { finished: boolean }[];
    // what is not finished is not idle
    for (const reply of unsent) reply.finished = false;
    try {
      closeIdle();
    } finally {
      for (const reply of unsent) reply.finished = true;
    }
  };
};
