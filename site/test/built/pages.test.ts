import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  closePages,
  ensureChromium,
  installationTime,
  isChromiumPossible,
  openPage,
  quitChromium,
} from "../../../test/full/chromium.ts";
import { createSidebar } from "../../src/sidebar.ts";
import { isServed, listPages, readPage, serveSite, stopSite } from "./serve-site.ts";

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** Where links of the pages are resolved. */
const origin = "http://site.test/sallyport/";

/** What {@link axeSource} adds to a page. */
declare const axe: { run(options: RunOptions): Promise<AxeResults> };

/** What axe finds serious or critical, as the rule and the elements that break it. */
const findObstacles = async (page: Page, options: RunOptions = {}): Promise<readonly string[]> => {
  const all: RunOptions = { resultTypes: ["violations"], ...options };
  const { violations } = await page.evaluate((given) => axe.run(given), all);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
};

/** Lists the first words of the tables that are wider than the page. */
const wideTables = `[...document.querySelectorAll("table")]
  .filter((table) => table.scrollWidth > table.clientWidth + 1)
  .map((table) => table.textContent.trim().slice(0, 40))`;

/** Words, each with a page that the search finds by it. */
const words = Object.entries({
  cursor: "/pagination",
  drain: "/health",
  "temporary file": "/files-and-uploads",
  ETag: "/conditional-requests",
  bodyIdleTimeout: "/reference/configuration",
  problemResultHandler: "/results-and-errors",
  SLP_INPUT_INVALID: "/errors",
  Kubernetes: "/deploy",
  helmet: "/express",
  createClient: "/client",
});

describe.skipIf(!isChromiumPossible)("the built site in Chromium", () => {
  const errors: string[] = [];
  let page: Page;
  let url = "";
  beforeAll(async () => {
    await ensureChromium();
    url = await serveSite();
    page = await openPage("about:blank");
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(error.message));
  }, installationTime);
  afterAll(async () => {
    await closePages();
    await quitChromium();
    stopSite();
  });

  const open = async (path: string): Promise<void> => {
    errors.length = 0;
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${url}${path}`, { waitUntil: "networkidle" });
  };

  test.each(listPages())("page /%s is whole, fits 360 px and is accessible", async (path) => {
    await open(path);
    await page.evaluate(axeSource);
    expect(await findObstacles(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findObstacles(page, { runOnly: ["color-contrast"] })).toEqual([]);
    await page.setViewportSize({ width: 360, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    // a column that one must scroll to is not seen
    expect(await page.evaluate(wideTables)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("the pager leads from the first page to the last, in the order of the sidebar", async () => {
    const [first = "", ...others] = createSidebar().flatMap(({ items }) =>
      items.map(({ link }) => link),
    );
    await open(first.slice(1));
    for (const link of others) {
      await page.locator(`.pager-link.next[href$="${link}"]`).click();
      await page.waitForURL(`${url}${link.slice(1)}`);
      expect(await page.locator("main h1").count()).toBe(1);
    }
    expect(await page.locator(".pager-link.next").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test("the menu of a phone opens at the page that one reads", async () => {
    await open("internals/performance");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator(".VPLocalNav .menu").click();
    const item = page.locator(".VPSidebar.open .VPSidebarItem.is-link.is-active");
    await expect.poll(async () => (await item.boundingBox())?.y).toBeLessThan(844);
  });

  test("what is not found offers the search and all pages", async () => {
    const { status } = await page
      .goto(`${url}nothing-here`, { waitUntil: "networkidle" })
      .then((response) => ({ status: response?.status() }));
    expect(status).toBe(404);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.locator(".DocSearch-Button").waitFor();
    await page.evaluate(axeSource);
    expect(await findObstacles(page)).toEqual([]);
    await page.locator(".not-found").getByRole("link", { name: "Pagination" }).click();
    await page.getByRole("heading", { name: "Pagination", level: 1 }).waitFor();
  });

  test.each(words)("the search for %s finds %s", async (word, path) => {
    await open("getting-started");
    await page.locator(".DocSearch-Button").click();
    await page.locator("#localsearch-input").fill(word);
    await page.locator(`.results a[href*="${path}"]`).first().waitFor();
    expect(errors).toEqual([]);
  });
});

const readIds = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id));

test("each link of the built site leads to a page, and to an element of it", () => {
  const broken = listPages().flatMap((path) => {
    const html = readPage(path);
    return [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].flatMap(([, href = ""]) => {
      const target = new URL(href, `${origin}${path}`);
      if (target.origin !== new URL(origin).origin) return [];
      const found = isServed(target.pathname);
      const anchor = decodeURIComponent(target.hash.slice(1));
      const page = target.pathname.slice(new URL(origin).pathname.length);
      const isWhole = found && (anchor === "" || readIds(readPage(page)).has(anchor));
      return isWhole ? [] : [`/${path}: ${href}`];
    });
  });
  expect(broken).toEqual([]);
});
