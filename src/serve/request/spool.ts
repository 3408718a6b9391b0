import { randomUUID } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

/** The number of bytes that are collected before they are written to disk. */
const stagingSize = 262_144;
/** The free space below which the buffer is written to disk: as much as Node may read from a socket at once. */
const leastRoom = 65_536;

/** How many bytes of a request's files may be held in memory, and how many are held. */
export interface MemoryBudget {
  readonly limit: number;
  used: number;
}

/**
 * The content of one incoming file: in memory while the budget allows it, then in a temporary file, written through one
 * reusable buffer. So the memory of chunks can be freed at once, which V8 would let pile up to 64 MB.
 */
export class Spool {
  /** The size in bytes. */
  size = 0;
  /** The path of the file on disk; undefined if the content is in memory. */
  path: string | undefined;
  isEnded = false;
  readonly #budget: MemoryBudget;
  readonly #directory: string;
  /** The data that is not in the staging buffer: all that is held in memory, or what did not fit. */
  #pieces: Buffer[] = [];
  #staging: Buffer | undefined;
  #staged = 0;
  #handle: FileHandle | undefined;
  /** Whether the content is too large for the rest of the budget. */
  #isLarge = false;
  #isClosed = false;
  #isWriting = false;

  constructor(budget: MemoryBudget, directory: string) {
    this.#budget = budget;
    this.#directory = directory;
  }

  /** Copies a part of the content. */
  take(part: Buffer): void {
    if (!this.#isLarge) {
      this.#isLarge = this.#budget.used + part.length > this.#budget.limit;
      this.#budget.used += this.#isLarge ? -this.size : part.length;
    }
    this.size += part.length;
    // the data must stay in order, and the buffer must not change while it is being written
    const canStage = !this.#isWriting && this.#pieces.length === 0;
    const staged = canStage && this.#staging ? part.copy(this.#staging, this.#staged) : 0;
    this.#staged += staged;
    if (staged < part.length) this.#pieces.push(Buffer.from(part.subarray(staged)));
  }

  /** Writes the data that should not stay in memory, including data that arrives in the meantime. */
  async settle(): Promise<void> {
    if (!this.#isLarge || this.#isClosed) return;
    if (!this.#handle) {
      this.path = join(this.#directory, `sallyport-${randomUUID()}`);
      this.#handle = await open(this.path, "wx", 0o600);
      this.#staging = Buffer.allocUnsafeSlow(stagingSize);
    }
    const room = stagingSize - this.#staged;
    if (this.isEnded || room < leastRoom || this.#pieces.length > 0)
      await this.#write(this.#handle);
    if (this.isEnded) await this.#close();
  }

  /** Returns the content of a file that has stayed in memory; undefined if the file is on disk. */
  takeContent(): Buffer | undefined {
    return this.path === undefined ? Buffer.concat(this.#pieces.splice(0), this.size) : undefined;
  }

  /** Deletes the file on disk, if any. */
  async discard(): Promise<void> {
    await this.#close();
    if (this.path !== undefined) await rm(this.path, { force: true });
  }

  async #write(handle: FileHandle): Promise<void> {
    this.#isWriting = true;
    try {
      if (this.#staging && this.#staged > 0)
        await handle.appendFile(this.#staging.subarray(0, this.#staged));
      this.#staged = 0;
      for (let piece = this.#pieces.shift(); piece; piece = this.#pieces.shift())
        await handle.appendFile(piece);
    } finally {
      this.#isWriting = false;
    }
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#staging = undefined;
    await this.#handle?.close();
  }
}
