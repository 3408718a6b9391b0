import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The commit of Express' repository whose tests are run, because the npm package contains none. */
const commit = "a3714473feb3d2908add734d340e7755fd85e0a3";

const source = `https://codeload.github.com/expressjs/express/tar.gz/${commit}`;

/**
 * Copies Express' own tests into a directory: from the checkout that EXPRESS_SOURCE names, or from
 * a commit that is downloaded once.
 * @param cache where the download is kept
 * @returns the reason why there are no tests, or undefined
 */
export const ensureExpressTests = async (
  folder: string,
  cache: string,
): Promise<string | undefined> => {
  const checkout = process.env["EXPRESS_SOURCE"];
  if (checkout !== undefined) {
    cpSync(join(checkout, "test"), folder, { recursive: true });
    return undefined;
  }
  const kept = `${cache}-${commit}`;
  if (!existsSync(kept)) {
    const failure = await download(kept);
    if (failure !== undefined) return failure;
  }
  cpSync(kept, folder, { recursive: true });
  return undefined;
};

const download = async (folder: string): Promise<string | undefined> => {
  let archive: ArrayBuffer;
  try {
    const response = await fetch(source, { signal: AbortSignal.timeout(30_000) });
    if (!response.ok) return `${source} answered ${response.status}`;
    archive = await response.arrayBuffer();
  } catch (error) {
    return `${source} cannot be reached: ${String((error as Error).cause ?? error)}`;
  }
  const unpacked = mkdtempSync(join(tmpdir(), "express-source-"));
  const tar = ["-xzf", "-", "--strip-components=1", "-C", unpacked];
  const { status, stderr } = spawnSync("tar", tar, { input: Buffer.from(archive) });
  if (status !== 0) throw new Error(`tar: ${stderr.toString()}`);
  mkdirSync(join(folder, ".."), { recursive: true });
  cpSync(join(unpacked, "test"), folder, { recursive: true });
  rmSync(unpacked, { recursive: true });
  return undefined;
};
