import { createHash, randomUUID } from "node:crypto";
import { constants, readFileSync } from "node:fs";
import { copyFile, rename, rm, writeFile } from "node:fs/promises";
import type { FileUpload } from "../../basics/schemas/bodies.ts";

type PartNames = "encoding" | "mimetype" | "name" | "size" | "tempFilePath";
type UploadedParts = Pick<UploadedFile, PartNames> & { readonly content: Buffer | undefined };

/** A file sent by a client; it is deleted when the response is finished, unless it was moved. */
export class UploadedFile implements FileUpload {
  /** The client's name for the file, without directories or control characters. */
  declare readonly name: string;
  declare readonly mimetype: string;
  declare readonly encoding: string;
  declare readonly size: number;
  declare readonly tempFilePath: string | undefined;
  #content: Buffer | undefined;
  #state: "kept" | "moved" | "gone" = "kept";
  #isOver = false;

  /** @param parts `content` is set if it was small enough to be held in memory */
  constructor({ content, ...parts }: UploadedParts) {
    Object.assign(this, parts);
    this.#content = content;
  }

  /** The content of the file; for a larger file, it is read from disk on each access. */
  get data(): Buffer {
    if (this.#content) return this.#content;
    this.#assertKept("read");
    return readFileSync(this.tempFilePath ?? "");
  }

  /** The MD5 digest of the content, in hexadecimal; it is computed on each access. */
  get md5(): string {
    return createHash("md5").update(this.data).digest("hex");
  }

  /** Sets the media type that the content shows. */
  identify(mimetype: string): void {
    Object.assign(this, { mimetype });
  }

  /** Moves the file to a path and replaces any file there; only the user of the process may read it (mode 0600). */
  readonly mv = async (path: string): Promise<void> => {
    this.#assertKept("moved");
    this.#state = "moved";
    try {
      if (this.#content) await writeWhole(path, this.#content);
      else await moveFile(this.tempFilePath ?? "", path);
    } catch (error) {
      this.#state = "kept";
      // the response has finished in the meantime
      if (this.#isOver) await this.discard();
      throw error;
    }
  };

  /** Deletes the file unless it has been moved. */
  readonly discard = async (): Promise<void> => {
    this.#isOver = true;
    const wasKept = this.#state === "kept";
    if (wasKept) this.#state = "gone";
    if (wasKept && this.tempFilePath !== undefined) await rm(this.tempFilePath, { force: true });
  };

  #assertKept(act: string): void {
    if (this.#state === "kept") return;
    const reason =
      this.#state === "moved"
        ? "it has already been moved"
        : "the response is finished, and the file has been deleted";
    throw new Error(`The uploaded file cannot be ${act}: ${reason}`);
  }
}

const moveFile = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch (error) {
    // `EXDEV` means that the path is on a different file system
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await replaceBy(to, (path) => copyFile(from, path, constants.COPYFILE_EXCL));
    await rm(from, { force: true });
  }
};

const writeWhole = (to: string, content: Buffer): Promise<void> =>
  replaceBy(to, (path) => writeFile(path, content, { flag: "wx", mode: 0o600 }));

/** Writes a file next to its final path and then moves it there, so that a failure never leaves a partial file. */
const replaceBy = async (to: string, write: (path: string) => Promise<void>): Promise<void> => {
  const path = `${to}.${randomUUID()}`;
  try {
    await write(path);
    await rename(path, to);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
};

// oxlint-disable-next-line no-control-regex -- the pattern is meant to match control characters
const unsafeCharacters = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the base name of a file name, without characters that could affect a terminal, a header or a file system. */
export const toBaseName = (given = ""): string =>
  (given.split(/[/\\]/).at(-1) ?? "").replace(unsafeCharacters, "").slice(0, 255);
