import { request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { MemorySocket } from "./memory-socket.ts";

/** The maximum head size on either side, in bytes; large, because a test's cookies and tokens may be of any size. */
export const maxHeaderSize = 1_048_576;

export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request to a server that need not listen, with Node's own client, over a connection within this process.
 *
 * @param read receives the response before a byte of its body can be lost
 * @returns what `read` returns; undefined if the server closed the connection without a response
 */
export const exchangeInMemory = <T>(
  server: Server,
  { method, target, headers, body, signal }: Sent,
  read: (message: IncomingMessage) => Promise<T>,
): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const [near, far] = MemorySocket.createPair();
    const request = httpRequest({
      method,
      path: target,
      // closing the connection also ends a body that is shorter than announced
      headers: {
        Connection: "close",
        // Node's client frames no body of a DELETE by itself
        ...(body && !("transfer-encoding" in headers) && { "Content-Length": body.length }),
        ...headers,
      },
      createConnection: () => near,
      maxHeaderSize,
    });
    // Node's client sends every method in upper case
    request.method = method;
    let leave = (reason: Error): unknown => request.destroy(reason);
    const onAbort = (): void => void leave(signal?.reason as Error);
    request.once("response", (message) => {
      leave = (reason) => message.destroy(reason);
      message.once("close", () => {
        signal?.removeEventListener("abort", onAbort);
        near.destroy();
      });
      resolve(read(message));
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(undefined);
      else reject(error);
    });
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort);
    server.emit("connection", far);
    request.end(body);
  });

/** What a client has received; `Set-Cookie` fields are an array. */
export type Received = Awaited<ReturnType<typeof collect>>;

export const collect = async (message: IncomingMessage) => {
  const chunks: Buffer[] = [];
  message.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => undefined);
  await new Promise((resolve) => message.once("close", resolve));
  return {
    status: message.statusCode ?? 0,
    headers: message.headers as Readonly<Record<string, string | string[]>>,
    body: Buffer.concat(chunks),
    isCut: !message.complete,
  };
};
