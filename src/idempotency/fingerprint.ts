import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { FileUpload } from "../schemas/upload.ts";

/** Returns the digest of some texts. */
export const digest = (...texts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(texts)).digest("base64url");

/** Returns the digest of an input: the order of its fields does not matter, and files count by their content. */
export const digestInput = async (input: unknown): Promise<string> => {
  const hash = createHash("sha256");
  const files: FileUpload[] = [];
  add(hash, input, files);
  for (const file of files) {
    const { tempFilePath } = file;
    if (tempFilePath === undefined) hash.update(file.data);
    else for await (const chunk of createReadStream(tempFilePath)) hash.update(chunk as Buffer);
  }
  return hash.digest("base64url");
};

/** Adds a value with its type and its length, so that no two values look alike; files are added to a list. */
const add = (hash: Hash, value: unknown, files: FileUpload[]): void => {
  if (value instanceof Uint8Array) hash.update(`bytes ${value.length}:`).update(value);
  else if (Array.isArray(value)) {
    hash.update(`array ${value.length}:`);
    for (const item of value) add(hash, item, files);
  } else if (isFile(value)) {
    const { name, mimetype, size } = value;
    files.push(value);
    add(hash, ["file", name, mimetype, size], files);
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    hash.update(`object ${entries.length}:`);
    for (const entry of entries) add(hash, entry, files);
  } else {
    const text = String(value);
    hash.update(`${typeof value} ${text.length}:${text}`);
  }
};

const isFile = (value: unknown): value is FileUpload =>
  typeof value === "object" && value !== null && "mv" in value && "mimetype" in value;
