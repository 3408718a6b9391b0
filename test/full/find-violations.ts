import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

// the site, which depends on axe, tests its pages with it, too
const site = fileURLToPath(new URL("../../site/package.json", import.meta.url));
const source = readFileSync(createRequire(site).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}
/** What the source adds to a page. */
declare const axe: { run(): Promise<{ readonly violations: readonly Violation[] }> };
declare const document: { readonly documentElement: { readonly scrollWidth: number } };
declare const innerWidth: number;

/** Lists the rules of axe that a page breaks, with the elements, and whether it is too wide for its window. */
export const findViolations = async (page: Page): Promise<string[]> => {
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { violations } = await axe.run();
    return [
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
      ...(document.documentElement.scrollWidth > innerWidth ? ["scrolls sideways"] : []),
    ];
  });
};
