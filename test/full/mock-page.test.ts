import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenMock, type ListeningMock } from "../../packages/contract/src/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  closePages,
  ensureChromium,
  installationTime,
  isChromiumPossible,
  openPage,
  quitChromium,
} from "./chromium.ts";
import { heading } from "./shop-page.ts";

const folder = mkdtempSync(join(tmpdir(), "mocked-shop-"));
let mock: ListeningMock;

describe.skipIf(!isChromiumPossible)("the shop's page with a mock (needs Chromium)", () => {
  beforeAll(async () => {
    // before the shop reads its environment
    Object.assign(process.env, { DATA_FOLDER: folder, LOG_LEVEL: "silent" });
    // a script without types
    const script = "../../scripts/build-page.js";
    const { buildPage } = (await import(script)) as { readonly buildPage: () => Promise<boolean> };
    await Promise.all([ensureChromium(), buildPage()]);
    const { routing, config } = await import("../../example/src/api.ts");
    mock = await listenMock({
      ...{ routing, config, port: 0 },
      handlers: { "get /v2/books/:id": () => ({ title: "A book of the mock" }) },
    });
  }, installationTime);
  afterEach(closePages);
  afterAll(async () => {
    await quitChromium();
    await mock.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("shows books, and one of them", async () => {
    const page = await openPage(mock.url);
    const books = page.getByRole("link", { name: "Pride and Prejudice" });
    await books.first().waitFor();
    expect(await books.count()).toBeGreaterThan(5);
    await books.first().click();
    await heading(page, "A book of the mock").waitFor();
  });
});
