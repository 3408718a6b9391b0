/**
 * The size, in bytes, below which chunks are copied into one block, because each Buffer has an overhead of a hundred
 * bytes.
 */
const smallPiece = 1024;
const blockSize = 16_384;

/** The bytes of an incoming body. */
export class GatheredBytes {
  /** The size in bytes. */
  size: number;
  readonly #pieces: Buffer[];
  /** The buffer for small chunks; everything before `#start` is already in `#pieces`. */
  #block: Buffer | undefined;
  #start = 0;
  #used = 0;

  constructor(first: Buffer) {
    this.size = first.length;
    this.#pieces = [first];
  }

  add(piece: Buffer): void {
    this.size += piece.length;
    if (piece.length >= smallPiece) {
      this.#seal();
      this.#pieces.push(piece);
      return;
    }
    if (this.#block === undefined || blockSize - this.#used < piece.length) {
      this.#seal();
      this.#block = Buffer.allocUnsafeSlow(blockSize);
      this.#start = this.#used = 0;
    }
    this.#used += piece.copy(this.#block, this.#used);
  }

  /** Returns all bytes in one Buffer; may be called only once. */
  concat(): Buffer {
    this.#seal();
    return Buffer.concat(this.#pieces, this.size);
  }

  #seal(): void {
    if (this.#block !== undefined && this.#used > this.#start)
      this.#pieces.push(this.#block.subarray(this.#start, this.#used));
    this.#start = this.#used;
  }
}
