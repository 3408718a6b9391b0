import type { Socket } from "node:net";

const watchers = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls a function when a connection closes; with one listener for all who ask, as Node warns of many.
 *
 * A pipelined response that waits for its turn needs it: Node tells it only from 24 on.
 *
 * @returns a function to call when that no longer matters
 */
export const onConnectionClose = (socket: Socket, act: () => void): (() => void) => {
  const known = watchers.get(socket);
  const acts = known ?? new Set();
  acts.add(act);
  if (!known) {
    watchers.set(socket, acts);
    socket.once("close", () => {
      for (const one of acts) one();
    });
  }
  return () => void acts.delete(act);
};
