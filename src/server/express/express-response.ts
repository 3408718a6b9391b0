import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { noteReply, watchPipes } from "../../http/node-internals.ts";
import { sendingMark } from "../../pipeline/response-state.ts";
import { type Stoppables, stoppables } from "../../pipeline/stoppables.ts";
import { currentWalk, type Walk } from "../../pipeline/walk.ts";
import {
  type AppSettings,
  type SentFields,
  appSettings,
  sentFields,
  watchedMark,
} from "../../results/send-json.ts";
import { dropStalledReader, type StalledReaderOptions } from "../connection/stalled-reader.ts";

type NodeResponse = typeof ServerResponse<IncomingMessage>;

/** What the responses of an application are made for. */
export interface ResponseOptions {
  /** Those of the application before it is made. */
  readonly settings: AppSettings;
  /** The requests that are to be told of a shutdown. */
  readonly toStop: Stoppables;
  readonly stalled: StalledReaderOptions;
  /** Says that something was written to a response that had ended. */
  readonly sentTwice: (response: ServerResponse) => void;
}

/** A class of responses. */
export interface ResponseClass {
  readonly ExpressResponse: NodeResponse;
  /** From now on the settings of responses are those of the application that is made. */
  readonly useSettings: (settings: AppSettings) => void;
}

/** Makes the class of the responses of an application. */
export const createResponseClass = (
  OwnResponse: NodeResponse,
  { settings: firstSettings, toStop, stalled, sentTwice }: ResponseOptions,
): ResponseClass => {
  // a variable, not a property: responses read it
  let settings = firstSettings;
  const lazyLocals: unique symbol = Symbol("locals");

  /** What `writableEnded` is of Node's own; compression replaces that. */
  const hasEnded = (response: object): boolean => (response as { finished: boolean }).finished;

  /** Node would emit an error, which ends the process where nobody listens; the first reply stands. */
  const isSentTwice = (response: ServerResponse, ...args: readonly unknown[]): boolean => {
    if (response.listenerCount("error") > 0) return false;
    sentTwice(response);
    const onWritten = args.find((one) => typeof one === "function");
    const code = "ERR_STREAM_WRITE_AFTER_END";
    if (onWritten)
      process.nextTick(onWritten, Object.assign(new Error("write after end"), { code }));
    return true;
  };

  class ExpressResponse extends OwnResponse {
    [lazyLocals]: unknown = undefined;
    [sendingMark] = false;
    [watchedMark] = false;
    [sentFields]: SentFields | undefined = undefined;

    get [stoppables](): Stoppables {
      return toStop;
    }

    get [appSettings](): AppSettings {
      return settings;
    }

    override assignSocket(socket: Socket): void {
      super.assignSocket(socket);
      noteReply(socket, this);
    }

    // what was sent past `setHeader` is told as well
    override getHeader(name: string): number | string | string[] | undefined {
      return super.getHeader(name) ?? findField(this[sentFields], name);
    }

    override getHeaders(): OutgoingHttpHeaders {
      const fields = this[sentFields];
      const headers = super.getHeaders();
      if (fields)
        for (const [name, value] of Object.entries(fields)) headers[name.toLowerCase()] ??= value;
      return headers;
    }

    override getHeaderNames(): string[] {
      return this[sentFields] ? Object.keys(this.getHeaders()) : super.getHeaderNames();
    }

    override hasHeader(name: string): boolean {
      return super.hasHeader(name) || findField(this[sentFields], name) !== undefined;
    }

    /** The answer to HEAD needs no body, so its first byte ends it, and tells the producer to stop. */
    override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      if (this.req.method !== "HEAD") {
        if (hasEnded(this) && isSentTwice(this, encoding, callback)) return false;
        const isTaken = super.write(chunk, encoding as BufferEncoding, callback as () => void);
        // Node may hand it to the socket with the next tick only
        if (!isTaken) process.nextTick(dropStalledReader, this, stalled);
        return isTaken;
      }
      this.once("unpipe", (source: Readable) => source.destroy());
      super.end();
      (this.req as WalkedRequest)[currentWalk]?.abort(new Error("HEAD needs no body"));
      const onWritten = callback ?? encoding;
      if (typeof onWritten === "function") process.nextTick(onWritten);
      return true;
    }

    /** A producer that did not notice may end it again, with a last piece. */
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      if (this.writableEnded && this.req.method === "HEAD") return this;
      if (hasEnded(this)) {
        const hasChunk = chunk !== undefined && chunk !== null && typeof chunk !== "function";
        if (hasChunk && isSentTwice(this, encoding, callback)) return this;
      }
      super.end(chunk, encoding as BufferEncoding, callback as () => void);
      dropStalledReader(this, stalled);
      return this;
    }

    get locals(): unknown {
      return (this[lazyLocals] ??= Object.create(null));
    }

    set locals(locals: unknown) {
      this[lazyLocals] = locals;
    }
  }

  watchPipes(ExpressResponse.prototype);
  return {
    ExpressResponse,
    useSettings: (made) => {
      settings = made;
    },
  };
};

type WalkedRequest = IncomingMessage & { readonly [currentWalk]?: Walk | undefined };

const findField = (fields: SentFields | undefined, name: string): string | number | undefined => {
  if (!fields) return undefined;
  const wanted = name.toLowerCase();
  return Object.entries(fields).find(([field]) => field.toLowerCase() === wanted)?.[1];
};
