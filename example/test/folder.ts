import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the shop of the tests keeps its data. */
    readonly shopFolder: string;
  }
}

/** Creates the folder of the tests; returns what deletes it in the end. */
export default ({ provide }: TestProject): (() => void) => {
  const folder = mkdtempSync(join(tmpdir(), "book-shop-"));
  provide("shopFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
};
