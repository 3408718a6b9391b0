import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const pages = ["", "docs", "docs/how-to", "docs/internals"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);
const read = (page: string): string => readFileSync(join(root, page), "utf8");

/** Returns the anchors of a page's headings, as GitHub derives them. */
const listAnchors = (page: string): readonly string[] =>
  [...read(page).matchAll(/^##* (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );

const withoutCode = (text: string): string => text.replaceAll(/^ *```[^]*?^ *```$/gm, "");

test("each link between pages leads to a page, and to a heading of it", () => {
  const broken = pages.flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].flatMap(
      ([link, path = "", anchor = ""]) => {
        const target = path === "" ? page : join(dirname(page), path);
        const isWhole =
          existsSync(join(root, target)) && (anchor === "" || listAnchors(target).includes(anchor));
        return isWhole ? [] : [`${page}: ${link}`];
      },
    ),
  );
  expect(broken).toEqual([]);
});

test("the figures of docs/compared.md are those of docs/internals/performance.md", () => {
  const [, figures = ""] = /^## Figures\n([^]*?)^## /m.exec(read("docs/compared.md")) ?? [];
  const listNumbers = (text: string): string[] => text.match(/\d[\d,.]*\d|\d\d/g) ?? [];
  const measured = new Set(listNumbers(read("docs/internals/performance.md")));
  expect(listNumbers(figures).length).toBeGreaterThan(20);
  expect(listNumbers(figures).filter((number) => !measured.has(number))).toEqual([]);
});

test("docs/README.md lists each page once", () => {
  const listed = [...read("docs/README.md").matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)];
  const others = pages.filter((page) => page.startsWith("docs") && page !== "docs/README.md");
  expect(listed.map(([, path = ""]) => path).toSorted()).toEqual(
    others.map((page) => relative("docs", page)).toSorted(),
  );
});

test("a page of another folder leads to each page of docs/how-to", () => {
  const others = pages.filter((page) => /^docs\/[^/]+$/.test(page) && page !== "docs/README.md");
  const text = others.map(read).join("\n");
  const all = pages.filter((page) => page.startsWith("docs/how-to/"));
  expect(all.length).toBeGreaterThan(10);
  expect(all.filter((page) => !text.includes(`](${relative("docs", page)})`))).toEqual([]);
});
