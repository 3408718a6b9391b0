import { open, readFile } from "node:fs/promises";
import type * as fileType from "file-type";
import { toPackageError } from "../../basics/messages/missing-package.ts";
import type { UploadedFile } from "./uploaded-file.ts";

/** How many of the first bytes are read, which `file-type` recommends; more would cost time without a bound. */
const readBytes = 4100;

/** @throws {@link ConfigError} when the package is not installed. */
export const loadFileType = async (): Promise<typeof fileType> => {
  try {
    return await import("file-type");
  } catch (cause) {
    throw toPackageError("`types` of ez.upload()", "file-type", cause);
  }
};

/** Replaces the media type that the client has stated of each file by the one that its first bytes show. */
export const identifyFiles = async (files: object): Promise<void> => {
  const { fileTypeFromBuffer } = await loadFileType();
  for (const file of Object.values(files).flat() as readonly UploadedFile[]) {
    // a parser that fails has not found the type
    const identify = (bytes: Buffer) => fileTypeFromBuffer(bytes).catch(() => undefined);
    let found = await identify(await readStart(file));
    // the part of an archive that shows what it holds, such as a table, may be its last
    if (found?.mime === "application/zip") found = await identify(await readAll(file));
    file.identify(toType(found?.mime, file.mimetype));
  }
};

/** Texts have no bytes that show their type, so the client tells it; of XML, only that it is XML is known. */
const toType = (found: string | undefined, stated: string): string => {
  if (found !== undefined && !isText(found)) return found;
  return isText(stated) ? stated : (found ?? "application/octet-stream");
};

const isText = (type: string): boolean => /^text\/|[/+](?:json|xml)\b/i.test(type);

const readAll = ({ data, tempFilePath }: UploadedFile): Buffer | Promise<Buffer> =>
  tempFilePath === undefined ? data : readFile(tempFilePath);

const readStart = async (file: UploadedFile): Promise<Buffer> => {
  if (file.tempFilePath === undefined) return file.data.subarray(0, readBytes);
  const handle = await open(file.tempFilePath);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(readBytes), 0, readBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};
