import { Duplex } from "node:stream";

/** One end of a connection within this process, with what node:http needs of a socket, but without timers. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  readonly remoteFamily = "IPv4";
  readonly remotePort = 1;
  readonly localAddress = "127.0.0.1";
  readonly localPort = 1;
  bytesRead = 0;
  bytesWritten = 0;
  timeout = 0;
  #peer: MemorySocket | undefined;
  #isEnded = false;
  #onRead: (() => void) | undefined;

  static createPair(): readonly [MemorySocket, MemorySocket] {
    const [one, other] = [new MemorySocket(), new MemorySocket()];
    one.#peer = other;
    other.#peer = one;
    return [one, other];
  }

  override _read(): void {
    const onRead = this.#onRead;
    this.#onRead = undefined;
    onRead?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, onTaken: () => void): void {
    this.bytesWritten += chunk.length;
    if (this.#peer) this.#peer.#take(chunk, onTaken);
    else onTaken();
  }

  override _final(onDone: () => void): void {
    if (this.#peer) this.#peer.#take(null, onDone);
    else onDone();
  }

  /** Destroys this end; the other side then reads the end of the data, as with a closed socket. */
  override _destroy(error: Error | null, onDone: (error: Error | null) => void): void {
    const peer = this.#peer;
    this.#peer = undefined;
    this._read();
    if (peer) process.nextTick(() => peer.#take(null, () => undefined));
    onDone(error);
  }

  /** Accepts a chunk or the end of the data from the other side, and reports when there is space for the next chunk. */
  #take(chunk: Buffer | null, onTaken: () => void): void {
    if (this.destroyed || this.#isEnded) {
      onTaken();
      return;
    }
    this.#isEnded = chunk === null;
    this.bytesRead += chunk?.length ?? 0;
    if (this.push(chunk) || chunk === null) onTaken();
    else this.#onRead = onTaken;
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
    this.end();
  }

  setTimeout(milliseconds: number): this {
    this.timeout = milliseconds;
    return this;
  }

  address(): { readonly address: string; readonly family: string; readonly port: number } {
    return { address: this.localAddress, family: "IPv4", port: this.localPort };
  }

  readonly resetAndDestroy = (): this => this.destroy();
  readonly setNoDelay = (): this => this;
  readonly setKeepAlive = (): this => this;
  readonly ref = (): this => this;
  readonly unref = (): this => this;
}
