import { createHash } from "node:crypto";
import * as files from "node:fs/promises";
import { existsSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UploadedFile } from "./uploaded-file.ts";

let directory = "";
beforeEach(async () => {
  directory = await files.mkdtemp(join(tmpdir(), "sallyport-file-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await files.rm(directory, { recursive: true });
});

const info = { name: "a.txt", mimetype: "text/plain", encoding: "7bit", size: 7 };

/** Creates an uploaded file on disk. */
const createFile = async (): Promise<UploadedFile> => {
  const tempFilePath = join(directory, "temporary");
  await files.writeFile(tempFilePath, "content");
  return new UploadedFile({ ...info, content: undefined, tempFilePath });
};

/** Makes the next rename fail. */
const failToRename = (code: string): void => {
  vi.spyOn(process.getBuiltinModule("node:fs/promises"), "rename").mockRejectedValueOnce(
    Object.assign(new Error(code), { code }),
  );
  syncBuiltinESMExports();
};

test("moves a file to another file system by copying, and leaves nothing behind", async () => {
  failToRename("EXDEV");
  const file = await createFile();
  await file.mv(join(directory, "moved"));
  expect(await files.readFile(join(directory, "moved"), "utf8")).toBe("content");
  expect(existsSync(file.tempFilePath ?? "")).toBe(false);
});

test("can move a file after an earlier attempt has failed", async () => {
  failToRename("EACCES");
  const file = await createFile();
  await expect(file.mv(join(directory, "moved"))).rejects.toThrow("EACCES");
  expect(file.data.toString()).toBe("content");
  failToRename("EXDEV");
  await file.mv(join(directory, "moved"));
  expect(await files.readFile(join(directory, "moved"), "utf8")).toBe("content");
});

test("refuses to read or move a file that was moved or deleted", async () => {
  const gone = await createFile();
  await gone.discard();
  await gone.discard();
  expect(existsSync(gone.tempFilePath ?? "")).toBe(false);
  expect(() => gone.data).toThrow("cannot be read: the response is finished");
  await expect(gone.mv("x")).rejects.toThrow("cannot be moved: the response is finished");
  failToRename("EXDEV");
  const moved = await createFile();
  await moved.mv(join(directory, "moved"));
  expect(() => moved.data).toThrow("cannot be read: it has already been moved");
  await expect(moved.mv("x")).rejects.toThrow("cannot be moved: it has already been moved");
  await moved.discard();
  expect(existsSync(join(directory, "moved"))).toBe(true);
});

test("returns the digest of the content, in memory and on disk", async () => {
  const md5 = createHash("md5").update("content").digest("hex");
  const inMemory = new UploadedFile({
    ...{ ...info, content: Buffer.from("content") },
    tempFilePath: undefined,
  });
  expect([(await createFile()).md5, inMemory.md5]).toEqual([md5, md5]);
});
