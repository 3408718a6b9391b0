const smallPiece = 1024;
const gatheredSize = 16_384;

/**
 * Passes on the chunks of a body and joins small ones. A body in chunks of one byte would otherwise take a turn of the
 * event loop for each byte.
 */
export class SmallPieces {
  readonly #pass: (piece: Buffer) => void;
  #gathered: Buffer | undefined;
  #size = 0;
  #timer: NodeJS.Immediate | undefined;

  constructor(pass: (piece: Buffer) => void) {
    this.#pass = pass;
  }

  add(piece: Buffer): void {
    if (this.#size === 0 && piece.length >= smallPiece) {
      this.#pass(piece);
    } else if (this.#size + piece.length > gatheredSize) {
      this.#pass(Buffer.concat([this.#take(), piece]));
    } else {
      this.#gathered ??= Buffer.allocUnsafeSlow(gatheredSize);
      this.#size += piece.copy(this.#gathered, this.#size);
      this.#timer ??= setImmediate(() => this.flush());
    }
  }

  flush(): void {
    if (this.#size > 0) this.#pass(this.#take());
  }

  /** Drops the chunks that have not been passed on yet. */
  forget(): void {
    this.#take();
  }

  #take(): Buffer {
    clearImmediate(this.#timer);
    this.#timer = undefined;
    const taken = this.#gathered?.subarray(0, this.#size) ?? Buffer.alloc(0);
    this.#gathered = undefined;
    this.#size = 0;
    return taken;
  }
}
