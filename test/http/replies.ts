import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

/** A response that was received on a connection. */
export interface Reply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Splits the text received on a connection into responses, which must have a Content-Length. */
export const toReplies = (text: string): Reply[] => {
  const replies: Reply[] = [];
  for (let rest = text; rest !== "";) {
    const end = rest.indexOf("\r\n\r\n");
    expect(end, `no whole head in ${rest.slice(0, 200)}`).toBeGreaterThan(0);
    const head = rest.slice(0, end);
    const length = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    replies.push({ status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), head, body });
    rest = rest.slice(end + 4 + length);
  }
  return replies;
};

/** Splits the text received on a connection at the beginning of each response, however the bodies are framed. */
export const splitReplies = (text: string): string[] => text.split(/(?=HTTP\/1\.1 \d{3} )/);

/** Returns the statuses of the responses received on a connection. */
export const listStatuses = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

/** Reads from a socket until the server closes it; a socket that is never closed is read for 15 seconds. */
export const readAll = async (
  socket: Socket,
): Promise<{ readonly text: string; readonly isClosed: boolean }> => {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  await Promise.race([once(socket, "close"), sleep(15_000, undefined, { ref: false })]);
  const isClosed = socket.destroyed;
  socket.destroy();
  return { text, isClosed };
};
