import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createSidebar, groups } from "../src/sidebar.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => name.replaceAll("\\", "/").replace(/\.md$/, ""));

test("each page of docs/ is in one group of site/src/sidebar.ts, and each name there is a page", () => {
  expect(Object.values(groups).flat().toSorted()).toEqual(pages.toSorted());
});

test("the sidebar shows the titles of the pages", () => {
  const items = createSidebar().flatMap((group) => group.items);
  expect(items).toContainEqual({ text: "Getting started", link: "/getting-started" });
  expect(items.filter(({ text }) => text === "")).toEqual([]);
});
