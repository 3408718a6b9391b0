import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { MessageClasses } from "../server/express/express-app.ts";
import type { SinkSocket } from "./sink-socket.ts";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const readers = new WeakMap<IncomingMessage, Reader>();

/** Makes a request read its body from a web stream; undefined if it has none. */
export const setBody = (
  request: IncomingMessage,
  body: ReadableStream<Uint8Array> | null,
): void => {
  if (body) readers.set(request, body.getReader());
  else endBody(request);
};

/** Leaves the rest of a body to the host: Node's adapters would close the connection of a body that is cancelled. */
export const leaveBody = (request: IncomingMessage): void => {
  readers.get(request)?.releaseLock();
  readers.delete(request);
  request.destroy();
};

const endBody = (request: IncomingMessage): void => {
  request.complete = true;
  request.push(null);
};

const pulling = new WeakSet<IncomingMessage>();

/** Reads as long as there is room: of a request, Node asks for more only when nothing is left. */
const pull = async (request: IncomingMessage, reader: Reader): Promise<void> => {
  if (pulling.has(request)) return;
  pulling.add(request);
  try {
    for (let hasRoom = true; hasRoom && !request.destroyed;) {
      const { done, value } = await reader.read();
      if (request.destroyed) return;
      if (done) {
        endBody(request);
        return;
      }
      (request.socket as unknown as SinkSocket).bytesRead += value.length;
      hasRoom = request.push(value);
    }
  } catch (cause) {
    const error = new Error("aborted", { cause });
    request.destroy(Object.assign(error, { code: "ECONNRESET" }));
  } finally {
    pulling.delete(request);
  }
};

const cancel = async (reader: Reader | undefined, reason: unknown): Promise<void> => {
  try {
    await reader?.cancel(reason);
  } catch {
    // the stream has failed before
  }
};

/** Creates classes on which those of the application are built. */
export const createMessageClasses = (): MessageClasses => {
  const node = process.getBuiltinModule("node:http");

  class BodyMessage extends node.IncomingMessage {
    override _read(): void {
      const reader = readers.get(this);
      if (reader) void pull(this, reader);
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
      if (!this.complete) void cancel(readers.get(this), error);
      super._destroy(error, callback);
    }
  }

  class SinkResponse extends node.ServerResponse {
    /** The host frames the body. */
    override writeHead(status: number, ...rest: readonly unknown[]): this {
      const fields = rest.at(-1);
      const reason = rest.filter((one) => typeof one === "string");
      this.removeHeader("Transfer-Encoding");
      this.removeHeader("Trailer");
      const own = withoutFraming(fields);
      const all = own === undefined ? reason : [...reason, own];
      return super.writeHead(status, ...(all as [OutgoingHttpHeaders]));
    }
  }
  // Node would learn from its server that the connection has drained
  Object.defineProperty(SinkResponse.prototype, "writableNeedDrain", {
    configurable: true,
    get(this: ServerResponse): boolean {
      return !this.writableEnded && this.socket?.writableNeedDrain === true;
    },
  });

  return { IncomingMessage: BodyMessage, ServerResponse: SinkResponse };
};

const withoutFraming = (fields: unknown): unknown => {
  if (typeof fields !== "object" || fields === null) return undefined;
  const isFraming = (name: unknown): boolean =>
    /^(?:transfer-encoding|trailer)$/i.test(String(Array.isArray(name) ? name[0] : name));
  if (!Array.isArray(fields))
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !isFraming(name)));
  const list = fields as readonly unknown[];
  const isNested = list.every((one) => Array.isArray(one));
  return list.flatMap((one, at) => (isFraming(list[isNested ? at : at - (at % 2)]) ? [] : [one]));
};
