import { Duplex } from "node:stream";

/** The head of a response as it was written. */
export interface WrittenHead {
  readonly status: number;
  readonly statusText: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

type Written = (error?: Error | null) => void;

/** How many bytes of a body are taken before the client has asked for any: enough for most replies. */
const eagerBytes = 65_536;

/**
 * The connection of one exchange: what Node writes to it as a response of HTTP/1.0, without framing, becomes a head and a
 * stream of bytes. A write is confirmed when the client has asked for it, so that back-pressure works as on a connection.
 */
export class SinkSocket extends Duplex {
  readonly remoteAddress: string | undefined;
  readonly encrypted: boolean;
  /** The bytes of the request's body. */
  bytesRead = 0;
  bytesWritten = 0;
  /** Called with the final head; until then, nothing of the body is known. */
  onHead: (head: WrittenHead) => void = () => undefined;
  /** Called for each piece of the body. */
  onBody: () => void = () => undefined;
  readonly pieces: Buffer[] = [];
  #head: Buffer | undefined = Buffer.alloc(0);
  #waiting: Written | undefined;
  #isPulled = false;
  #isDiscarded = false;

  constructor(remoteAddress: string | undefined, encrypted: boolean) {
    super({ highWaterMark: 16_384 });
    this.remoteAddress = remoteAddress;
    this.encrypted = encrypted;
  }

  override _read(): void {
    // nothing ever arrives: the body of the request is pushed to it directly
  }

  override _write(chunk: Buffer, ...[, written]: [encoding: string, written: Written]): void {
    this.bytesWritten += chunk.length;
    const piece = this.#head ? this.#readHead(Buffer.concat([this.#head, chunk])) : chunk;
    if (piece && piece.length > 0 && !this.#isDiscarded) {
      this.pieces.push(piece);
      this.onBody();
    }
    if (this.#isDiscarded || this.#isPulled || this.bytesWritten <= eagerBytes) {
      this.#isPulled = false;
      written();
    } else this.#waiting = written;
  }

  override _destroy(error: Error | null, callback: Written): void {
    this.#waiting = undefined;
    callback(error);
  }

  /** Takes the next piece of the body, if there is one, and confirms that it was written. */
  pull(): Buffer | undefined {
    const piece = this.pieces.shift();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) process.nextTick(waiting);
    else if (!piece) this.#isPulled = true;
    return piece;
  }

  /** Takes the whole body, which nobody wants. */
  discard(): void {
    this.#isDiscarded = true;
    this.pieces.length = 0;
    this.pull();
  }

  /** Reads the head, once it is complete; returns what follows. Informational heads are skipped: no host sends them. */
  #readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) {
      this.#head = bytes;
      return undefined;
    }
    const [line = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
    const rest = bytes.subarray(end + 4);
    // as in `HTTP/1.1 201 Created`
    const status = Number(line.slice(9, 12));
    const statusText = line.slice(13);
    if (status < 200) return this.#readHead(rest);
    this.#head = undefined;
    const fields = lines.map((field): readonly [string, string] => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    });
    this.onHead({ status, statusText, fields });
    return rest;
  }

  // what Express, its middlewares and Node call on a connection; the host has its own time limits

  address(): object {
    return {};
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  destroySoon(): void {
    this.end();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
