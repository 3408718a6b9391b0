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
 * `onResponse` is called before a byte of the body can be lost.
 *
 * @returns undefined if the server closed the connection without a response
 */
export const exchange = (
  server: Server,
  { method, target, headers, body, signal }: Sent,
  onResponse?: (message: IncomingMessage) => void,
): Promise<IncomingMessage | undefined> =>
  new Promise((resolve, reject) => {
    const [near, far] = MemorySocket.createPair();
    const request = httpRequest({
      method,
      path: target,
      // closing the connection also ends a body that is shorter than announced
      headers: { Connection: "close", ...headers },
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
      onResponse?.(message);
      resolve(message);
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

export interface Received {
  readonly status: number;
  /** The header fields by name in lower case; `Set-Cookie` fields are an array. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
  readonly isCut: boolean;
}

export const collect = (message: IncomingMessage): Promise<Received> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const finish = (isCut: boolean) => (): void => {
      const headers = message.headers as Received["headers"];
      resolve({ status: message.statusCode ?? 0, headers, body: Buffer.concat(chunks), isCut });
    };
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.once("end", finish(false)).once("error", finish(true)).once("close", finish(true));
  });
