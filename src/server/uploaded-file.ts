import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { copyFile, rename, rm, writeFile } from "node:fs/promises";

/** What is known of a file when it has arrived. */
export interface UploadedParts {
  readonly name: string;
  readonly mimetype: string;
  readonly encoding: string;
  readonly size: number;
  /** The content, where it was small enough for memory. */
  readonly content: Buffer | undefined;
  /** Where the content is on disk otherwise. */
  readonly tempFilePath: string | undefined;
}

/** A file that a client has sent; gone when the response is finished unless it was moved. */
export class UploadedFile {
  /** The name that the client gave: the base name alone, without control characters. Never trust it as a path. */
  readonly name: string;
  /** The media type that the client claims. */
  readonly mimetype: string;
  readonly encoding: string;
  /** In bytes. */
  readonly size: number;
  /** Where a larger file is while the request is answered; undefined for one in memory. */
  readonly tempFilePath: string | undefined;
  #content: Buffer | undefined;
  #state: "kept" | "moved" | "gone" = "kept";

  constructor(parts: UploadedParts) {
    this.name = parts.name;
    this.mimetype = parts.mimetype;
    this.encoding = parts.encoding;
    this.size = parts.size;
    this.tempFilePath = parts.tempFilePath;
    this.#content = parts.content;
  }

  /** The content; that of a larger file is read from disk at each access. */
  get data(): Buffer {
    if (this.#content) return this.#content;
    this.#assertKept("read");
    return readFileSync(this.tempFilePath ?? "");
  }

  /** The MD5 digest of the content, in hexadecimal; computed when it is asked for. */
  get md5(): string {
    return createHash("md5").update(this.data).digest("hex");
  }

  /**
   * Moves the file to a path.
   *
   * @throws Error when it was moved before or the response is finished, and Node's error when it cannot be written.
   */
  readonly mv = async (path: string): Promise<void> => {
    this.#assertKept("moved");
    this.#state = "moved";
    try {
      if (this.#content) await writeFile(path, this.#content);
      else await moveFile(this.tempFilePath ?? "", path);
    } catch (error) {
      this.#state = "kept";
      throw error;
    }
  };

  /** Deletes what is left of the file. */
  readonly discard = async (): Promise<void> => {
    const wasKept = this.#state === "kept";
    if (wasKept) this.#state = "gone";
    if (wasKept && this.tempFilePath !== undefined) await rm(this.tempFilePath, { force: true });
  };

  #assertKept(act: string): void {
    if (this.#state === "kept") return;
    throw new Error(
      this.#state === "moved"
        ? `The uploaded file cannot be ${act}: it was moved before`
        : `The uploaded file cannot be ${act}: the response is finished, and the file is deleted`,
    );
  }
}

const moveFile = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch (error) {
    // another file system
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(from, to);
    await rm(from, { force: true });
  }
};
