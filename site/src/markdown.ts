import { existsSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import type { MarkdownOptions, MarkdownRenderer } from "vitepress";
import { repository } from "./addresses.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Derives an anchor from a heading as GitHub does, where the same pages are read. */
export const slugify = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

/** Resolves a link of a page of `docs/`: the list of pages has another name here, and other files are on GitHub. */
const toLink = (page: string, link: string): string => {
  if (!page.startsWith("docs/") || /^(?:[a-z]+:|#|\/)/.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const target = posix.join(posix.dirname(page), path);
  if (target === "docs/README.md") return link.replace("README.md", "pages.md");
  if (target.startsWith("docs/") || !existsSync(`${root}${target}`)) return link;
  return `${repository}/blob/main/${target}${anchor === undefined ? "" : `#${anchor}`}`;
};

/** Code blocks with `file=` have the name of the file as their title, and indented ones look like the others. */
const renderCode = (md: MarkdownRenderer): void => {
  const { fence } = md.renderer.rules;
  if (!fence) throw new Error("VitePress renders no code blocks");
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const info = tokens[index]?.info ?? "";
    const name = /\sfile=(\S+)/.exec(info)?.[1];
    // what follows the language is for the tests of the documentation
    if (tokens[index]) tokens[index].info = info.replace(/ .*/, "");
    const block = fence(tokens, index, ...rest);
    if (name === undefined) return block;
    const title = md.utils.escapeHtml(name);
    return `<div class="file"><p class="file-name">${title}</p>${block}</div>\n`;
  };
  // VitePress styles only blocks between fences
  md.renderer.rules.code_block = (tokens, index, ...rest) => {
    if (tokens[index]) tokens[index].info = "text";
    return fence(tokens, index, ...rest);
  };
};

const resolveLinks = (md: MarkdownRenderer): void => {
  md.core.ruler.push("resolve-links", ({ tokens, env }) => {
    const { relativePath } = env as { readonly relativePath?: string };
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === "link_open" ? token.attrGet("href") : null;
      if (link !== null) token.attrSet("href", toLink(`docs/${relativePath}`, link));
    }
  });
};

export const markdown: MarkdownOptions = {
  anchor: { slugify },
  headers: { slugify },
  toc: { slugify },
  theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  config: (md) => {
    renderCode(md);
    resolveLinks(md);
  },
};
