import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../http/harness.ts";
import {
  closePages,
  ensureChromium,
  installationTime,
  openPage,
  quitChromium,
} from "./chromium.ts";

const site = fileURLToPath(new URL("../../site/package.json", import.meta.url));
const axeSource = readFileSync(createRequire(site).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}
/** What the source adds to a page. */
declare const axe: { run(): Promise<{ readonly violations: readonly Violation[] }> };

const book = z.object({ id: z.int(), title: z.string(), tags: z.array(z.string()).optional() });
const routing = {
  "get /books": factory.build({
    tag: "books",
    shortDescription: "Lists books",
    input: z.object({ page: z.coerce.number().default(1), sort: z.enum(["title", "id"]) }),
    output: z.object({ books: z.array(book) }),
    handler: () => ({ books: [] }),
  }),
  "post /books": factory.build({
    tag: "books",
    shortDescription: "Adds a book",
    input: book,
    output: book,
    handler: ({ input }) => input,
  }),
  "put /books/:id": factory.build({
    tag: "books",
    shortDescription: "Replaces a book",
    input: book.extend({ id: z.coerce.number().int() }),
    output: book,
    handler: ({ input }) => input,
  }),
  "patch /books/:id/cover": factory.build({
    tag: "covers",
    shortDescription: "Changes a cover",
    input: z.object({ id: z.string(), cover: ez.upload() }),
    handler: () => ({}),
  }),
  "delete /books/:id": factory.build({
    tag: "books",
    shortDescription: "Deletes a book",
    deprecated: true,
    input: z.object({ id: z.string() }),
    handler: () => ({}),
  }),
};

let page: Page;
beforeAll(async () => {
  await ensureChromium();
  const info = { title: "Books", version: "1.0.0", description: "Books, with `code`." };
  const { port } = await start(routing, { docs: { info } });
  page = await openPage(`http://127.0.0.1:${port}/docs`);
  await page.getByText("Lists books").waitFor();
}, installationTime);
afterAll(async () => {
  await closePages();
  await quitChromium();
});

/** What axe finds serious or critical, as the rule and the elements that break it. */
const findObstacles = async (): Promise<readonly string[]> => {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => axe.run());
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
};

const control = (method: string) => page.locator(`.opblock-${method} .opblock-summary-control`);

test("the page is accessible in both schemes, folded, open and in use, and fits a phone", async () => {
  const findAll = async () => {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await findObstacles()).map((one) => `${colorScheme}: ${one}`));
    }
    return found;
  };
  await expect.poll(findAll).toEqual([]);
  for (const method of ["get", "post", "put", "patch"]) await control(method).click();
  await page.locator(".opblock-deprecated .opblock-summary-control").click();
  await page.locator(".opblock-get .try-out__btn").click();
  await page.locator(".opblock-get").getByRole("button", { name: "Execute" }).click();
  await page.locator(".opblock-post .try-out__btn").click();
  await page.locator(".opblock-post").getByRole("tab", { name: "Schema" }).first().click();
  await expect.poll(findAll).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("replies that most operations have are folded until they are clicked", async () => {
  const row = page.locator(".opblock-put .responses-wrapper tr.response", { hasText: "500" });
  const fold = row.getByRole("button", { name: /.+/ });
  expect(await fold.getAttribute("aria-expanded")).toBe("false");
  await fold.click();
  await row.getByText("Example Value").waitFor();
  // what an operation has of its own is shown
  const own = page.locator(".opblock-put .responses-wrapper tr.response", { hasText: "200" });
  await own.getByText("Example Value").waitFor();
});

test("the filter finds operations by method, path, summary and tag", async () => {
  const filter = page.getByRole("textbox", { name: "Filter operations" });
  const expectFound = async (text: string, ...summaries: readonly string[]) => {
    await filter.fill(text);
    const shown = page.locator(".opblock-summary-description");
    await expect.poll(() => shown.allTextContents()).toEqual(summaries);
  };
  await expectFound("covers", "Changes a cover");
  await expectFound("adds", "Adds a book");
  await expectFound("put /BOOKS", "Replaces a book");
  await expectFound("no such");
  await expectFound("/cover", "Changes a cover");
});
