import { existsSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import type { MarkdownOptions, MarkdownRenderer } from "vitepress";
import { repository } from "./addresses.ts";
import { toPackageManagers } from "./package-managers.ts";

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
  const renderFence: typeof fence = (tokens, index, ...rest) => {
    const info = tokens[index]?.info ?? "";
    const name = /\sfile=(\S+)/.exec(info)?.[1];
    // what follows the language is for the tests of the documentation, except in a group
    if (tokens[index] && !info.includes("[")) tokens[index].info = info.replace(/ .*/, "");
    if (/^(?:sh|text)$/.test(info)) {
      const tabs = toPackageManagers(tokens[index]?.content ?? "");
      const blocks = tabs.map(({ name, commands }) => `\`\`\`sh [${name}]\n${commands}\n\`\`\``);
      if (blocks.length > 0) return md.render(`::: code-group\n${blocks.join("\n")}\n:::`);
    }
    const block = fence(tokens, index, ...rest);
    if (name === undefined) return block;
    const title = md.utils.escapeHtml(name);
    return `<div class="file"><p class="file-name">${title}</p>${block}</div>\n`;
  };
  md.renderer.rules.fence = renderFence;
  // VitePress styles only blocks between fences
  md.renderer.rules.code_block = (tokens, index, ...rest) => {
    if (tokens[index]) tokens[index].info = "text";
    return renderFence(tokens, index, ...rest);
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

const roles: Readonly<Record<string, string>> = {
  table_open: "table",
  thead_open: "rowgroup",
  tbody_open: "rowgroup",
  tr_open: "row",
  th_open: "columnheader",
  td_open: "cell",
};

/** Prepares tables of three columns and more for phones, where each row is a block that names its cells. */
const labelCells = (md: MarkdownRenderer): void => {
  // VitePress writes tables without their attributes
  md.renderer.rules.table_open = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet("tabindex", "0");
    return self.renderToken(tokens, index, options);
  };
  md.core.ruler.push("label-cells", ({ tokens }) => {
    for (const [start, { type, level }] of tokens.entries()) {
      if (type !== "table_open") continue;
      const end = tokens.findIndex(
        (one, at) => at > start && one.type === "table_close" && one.level === level,
      );
      const parts = tokens.slice(start, end);
      const labels = parts.flatMap((one, at) =>
        one.type === "th_open" ? [(parts[at + 1]?.content ?? "").replaceAll("`", "")] : [],
      );
      if (labels.length < 3) continue;
      parts[0]?.attrJoin("class", "wide");
      let column = 0;
      for (const part of parts) {
        const role = roles[part.type];
        // their display, which phones get another one of, would take the meaning from them
        if (role !== undefined) part.attrSet("role", role);
        if (part.type === "tr_open") column = 0;
        if (part.type === "td_open") part.attrSet("data-label", labels[column++] ?? "");
      }
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
    labelCells(md);
  },
};
