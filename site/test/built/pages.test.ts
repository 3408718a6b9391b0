import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  closePages,
  ensureChromium,
  installationTime,
  isChromiumPossible,
  openPage,
  quitChromium,
} from "../../../test/full/chromium.ts";
import { isServed, listPages, serveSite, stopSite } from "./serve-site.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

declare const globalThis: { readonly axe: { run(options: RunOptions): Promise<AxeResults> } };

/** What axe finds serious or critical, as the rule and the first element that breaks it. */
const findObstacles = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({ resultTypes: ["violations"] }),
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

/** Opens a page of the site and returns what goes wrong as its console shows it. */
const open = async (url: string): Promise<{ page: Page; errors: string[] }> => {
  const page = await openPage("about:blank");
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(url, { waitUntil: "networkidle" });
  return { page, errors };
};

describe.skipIf(!isChromiumPossible)("the built site in Chromium", () => {
  let url = "";
  beforeAll(async () => {
    await ensureChromium();
    url = await serveSite();
  }, installationTime);
  afterEach(closePages);
  afterAll(async () => {
    await quitChromium();
    stopSite();
  });

  test.each(listPages())("page /%s is whole, fits 360 px and is accessible", async (path) => {
    const { page, errors } = await open(`${url}${path}`);
    expect(await findObstacles(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findObstacles(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 640 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
    expect(errors).toEqual([]);
  });
});
