import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readSections } from "../../src/reading-order.ts";
import { isServed, listPages, readPage } from "./serve-site.ts";

const address = "https://sallyport.github.io/sallyport/";
const pages = listPages().filter((path) => path !== "shop/");
const readFile = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../dist/${name}`, import.meta.url)), "utf8");

const find = (html: string, pattern: RegExp): string => pattern.exec(html)?.[1] ?? "";

test("each page has a title with the name of the package, its address, and a card that exists", () => {
  expect(pages.length).toBeGreaterThan(40);
  for (const path of pages) {
    const html = readPage(path);
    expect(find(html, /<title>([^<]*)/)).toMatch(/. \| sallyport$/);
    expect(find(html, /<link rel="canonical" href="([^"]*)/)).toBe(address + path);
    const card = find(html, /<meta property="og:image" content="([^"]*)/);
    expect(card.startsWith(address) && isServed(new URL(card).pathname)).toBe(true);
    expect(find(html, /<meta property="og:description" content="([^"]*)/)).not.toBe("");
  }
});

test("each page has a description of its own", () => {
  const all = pages.map((path) =>
    find(readPage(path), /<meta name="description" content="([^"]*)/),
  );
  expect(all.filter((one, index) => one.length < 15 || all.indexOf(one) !== index)).toEqual([]);
});

test("a card has the size that networks show", () => {
  const png = readFileSync(fileURLToPath(new URL("../../dist/og/input.png", import.meta.url)));
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
});

test("pages of docs/ say when they changed last", () => {
  expect(readPage("input")).toMatch(/Last updated.*<time/s);
});

test("the sitemap has the API of the shop and all pages", () => {
  const map = readFile("sitemap.xml");
  const missing = listPages().filter((path) => !map.includes(`<loc>${address}${path}</loc>`));
  expect(missing).toEqual([]);
});

test("llms.txt is named after the package, and says of each page what it has", () => {
  const text = readFile("llms.txt");
  expect(text).toMatch(/^# sallyport\n\n> Typed/);
  const links = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\): .{15,}$/gm)].map(
    ([, link = ""]) => link,
  );
  expect(links).toHaveLength(readSections().flatMap((section) => section.pages).length);
  expect(links.filter((link) => !isServed(new URL(link).pathname))).toEqual([]);
  expect(isServed("/sallyport/llms-full.txt")).toBe(true);
});
