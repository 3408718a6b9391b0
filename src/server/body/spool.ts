import { randomUUID } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

/** How many bytes are collected for one write to disk. */
const stagingSize = 262_144;
/** More than Node reads from a socket at once; with less space than this left, the buffer is written. */
const leastRoom = 65_536;

/** How many bytes of a request's files are, and may be, held in memory. */
export interface MemoryBudget {
  readonly limit: number;
  used: number;
}

/**
 * The content of one incoming file: in memory while the budget allows it, then in a temporary file.
 *
 * Data is copied, to disk through one reusable buffer. So the memory of a request can be freed as soon as its data is
 * copied, and 500 MB need 10 MB; V8 would let 64 MB of buffers pile up before it collects them.
 */
export class Spool {
  /** The size in bytes. */
  size = 0;
  /** Its path on disk; undefined if it is in memory. */
  path: string | undefined;
  /** Nothing more will come. */
  isEnded = false;
  readonly #budget: MemoryBudget;
  readonly #directory: string;
  /** Data that waits in addition to the staging buffer: all of it in memory, or what was too large for the buffer. */
  #pieces: Buffer[] = [];
  #staging: Buffer | undefined;
  #staged = 0;
  #handle: FileHandle | undefined;
  /** Too large for the rest of the budget. */
  #isLarge = false;
  #isClosed = false;
  #isWriting = false;

  constructor(budget: MemoryBudget, directory: string) {
    this.#budget = budget;
    this.#directory = directory;
  }

  /** Copies a part of the content. */
  take(part: Buffer): void {
    if (!this.#isLarge) this.#count(part.length);
    this.size += part.length;
    // keeps the order, and leaves the buffer alone while it is being written
    const canStage = !this.#isWriting && this.#pieces.length === 0;
    const staged = canStage && this.#staging ? part.copy(this.#staging, this.#staged) : 0;
    this.#staged += staged;
    if (staged < part.length) this.#pieces.push(Buffer.from(part.subarray(staged)));
  }

  /**
   * Writes what should not wait in memory, including data that arrives in the meantime.
   *
   * @throws Node's error when writing fails.
   */
  async settle(): Promise<void> {
    if (!this.#isLarge || this.#isClosed) return;
    const handle = (this.#handle ??= await this.#open());
    const room = stagingSize - this.#staged;
    if (this.isEnded || room < leastRoom || this.#pieces.length > 0) await this.#write(handle);
    if (this.isEnded) await this.#close();
  }

  /** The content of a file that has stayed in memory; undefined if it is on disk. */
  takeContent(): Buffer | undefined {
    return this.path === undefined ? Buffer.concat(this.#pieces.splice(0), this.size) : undefined;
  }

  /** Deletes the file on disk, if any. */
  async discard(): Promise<void> {
    await this.#close();
    if (this.path !== undefined) await rm(this.path, { force: true });
  }

  #count(length: number): void {
    this.#isLarge = this.#budget.used + length > this.#budget.limit;
    this.#budget.used += this.#isLarge ? -this.size : length;
  }

  async #open(): Promise<FileHandle> {
    this.path = join(this.#directory, `sallyport-${randomUUID()}`);
    const handle = await open(this.path, "wx", 0o600);
    this.#staging = Buffer.allocUnsafeSlow(stagingSize);
    return handle;
  }

  async #write(handle: FileHandle): Promise<void> {
    this.#isWriting = true;
    try {
      if (this.#staging) await writeAll(handle, this.#staging.subarray(0, this.#staged));
      this.#staged = 0;
      for (let piece = this.#pieces.shift(); piece; piece = this.#pieces.shift())
        await writeAll(handle, piece);
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

/** The system may accept less at once than it is given. */
const writeAll = async (handle: FileHandle, part: Buffer): Promise<void> => {
  for (let done = 0; done < part.length;) {
    const { bytesWritten } = await handle.write(part, done, part.length - done);
    done += bytesWritten;
  }
};
