/** Pieces below this size are copied together: a Buffer costs a hundred bytes, whatever it holds. */
const smallPiece = 1024;
const blockSize = 16_384;

/** The bytes of a body on their way in. */
export class GatheredBytes {
  /** In bytes. */
  size = 0;
  #first: Buffer | undefined;
  #pieces: Buffer[] | undefined;
  /** Where small pieces are copied to; what is before `#start` stands in the pieces already. */
  #block: Buffer | undefined;
  #start = 0;
  #used = 0;

  add(piece: Buffer): void {
    this.size += piece.length;
    // most bodies come in one piece
    if (this.#first === undefined) {
      this.#first = piece;
      return;
    }
    const pieces = (this.#pieces ??= [this.#first]);
    if (piece.length >= smallPiece) {
      this.#seal(pieces);
      pieces.push(piece);
      return;
    }
    if (this.#block === undefined || blockSize - this.#used < piece.length) {
      this.#seal(pieces);
      this.#block = Buffer.allocUnsafeSlow(blockSize);
      this.#start = this.#used = 0;
    }
    this.#used += piece.copy(this.#block, this.#used);
  }

  /** All of them in one Buffer; called once. */
  concat(): Buffer {
    if (this.#first === undefined) return noBytes;
    if (this.#pieces === undefined) return this.#first;
    this.#seal(this.#pieces);
    return Buffer.concat(this.#pieces, this.size);
  }

  #seal(pieces: Buffer[]): void {
    if (this.#block !== undefined && this.#used > this.#start)
      pieces.push(this.#block.subarray(this.#start, this.#used));
    this.#start = this.#used;
  }
}

const noBytes = Buffer.alloc(0);
