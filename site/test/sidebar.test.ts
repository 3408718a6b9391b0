import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readSections } from "../src/reading-order.ts";
import { createSidebar } from "../src/sidebar.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => name.replaceAll("\\", "/").replace(/\.md$/, ""));
const items = createSidebar().flatMap((group) => group.items);

test("the sidebar has each page of docs/ once", () => {
  const links = items.map(({ link }) => link.slice(1));
  const own = links.filter((link) => !link.startsWith("reference/"));
  expect(own.toSorted()).toEqual(pages.toSorted());
});

test("the sidebar has the order of docs/README.md, and the titles of the pages", () => {
  const readme = readFileSync(`${docs}README.md`, "utf8");
  const places = items.map(({ link }) => readme.indexOf(`](${link.slice(1)}.md)`));
  const listed = places.filter((place) => place >= 0);
  expect(listed).toEqual(listed.toSorted((a, b) => a - b));
  expect(items[0]).toEqual({ text: "Getting started", link: "/getting-started" });
  expect(items.filter(({ text }) => text === "")).toEqual([]);
});

test("all groups but the first are folded", () => {
  expect(createSidebar().map(({ collapsed }) => collapsed)).toEqual([
    false,
    ...createSidebar()
      .slice(1)
      .map(() => true),
  ]);
});

test("each listed page says what it has", () => {
  const listed = readSections().flatMap((section) => section.pages);
  expect(listed.length).toBe(pages.length);
  expect(listed.filter(({ content }) => content.length < 15)).toEqual([]);
});
