import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import { base, host, repository } from "../src/addresses.ts";
import { writeCard, writeTouchIcon } from "../src/cards.ts";
import { createHead, describePage, toCardPath, toPath } from "../src/head.ts";
import { writeLlms } from "../src/llms.ts";
import { markdown } from "../src/markdown.ts";
import { searchOptions } from "../src/site-search.ts";
import { accessibleGroups, ownSearch } from "../src/theme-changes.ts";
import { createSidebar } from "../src/sidebar.ts";
import { writePages } from "../src/write-pages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const description =
  "Typed HTTP APIs for Node.js: declare schemas and a handler, and nothing passes unchecked, in or out.";

writePages();

/** The pages that are built, with their paths, titles and descriptions. */
const cards = new Map<string, { readonly title: string; readonly content: string }>();

export default defineConfig({
  title: "sallyport",
  description,
  lang: "en",
  base,
  srcDir: root,
  srcExclude: ["!(docs|site)/**", "*.md", "site/!(generated)/**"],
  rewrites: {
    "docs/README.md": "pages.md",
    "docs/:page": ":page",
    "docs/how-to/:page": "how-to/:page",
    "docs/internals/:page": "internals/:page",
    "site/generated/index.md": "index.md",
    "site/generated/reference/:page": "reference/:page",
  },
  outDir: fileURLToPath(new URL("../dist", import.meta.url)),
  cleanUrls: true,
  // where the servers of the examples listen
  ignoreDeadLinks: "localhostLinks",
  lastUpdated: true,
  head: [
    ["link", { rel: "icon", href: `${base}icon.svg`, type: "image/svg+xml" }],
    ["link", { rel: "apple-touch-icon", href: `${base}touch-icon.png` }],
  ],
  sitemap: {
    hostname: `${host}${base}`,
    transformItems: (items) => [...items, { url: "shop/" }],
  },
  transformPageData: (page) => ({ description: describePage(page) }),
  transformHead: ({ pageData: page }) => {
    const card = { title: page.title, content: page.description };
    if (page.relativePath !== "404.md") cards.set(toPath(page.relativePath), card);
    return createHead(page);
  },
  buildEnd: async ({ outDir }) => {
    for (const [path, { title, content }] of cards)
      await writeCard(join(outDir, toCardPath(path)), title, content);
    writeTouchIcon(join(outDir, "touch-icon.png"));
    writeFileSync(join(outDir, "llms.txt"), writeLlms(description));
  },
  markdown,
  vite: {
    publicDir: fileURLToPath(new URL("../public", import.meta.url)),
    plugins: [
      accessibleGroups as never,
      ownSearch as never,
      llmstxt({
        domain: host,
        description,
        // llms.ts writes it, with what each page has
        generateLLMsTxt: false,
        // the page of pages would repeat what llms.txt lists
        ignoreFiles: ["docs/README.md", "site/generated/index.md"],
        // typed with the Vite of the tests, not with that of VitePress
      }) as never,
    ],
  },
  themeConfig: {
    logo: { src: "/icon.svg", alt: "" },
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "Reference", link: "/reference/configuration" },
      { text: "Errors", link: "/errors" },
      { text: "API of a shop", link: "/shop/", target: "_self" },
    ],
    sidebar: createSidebar(),
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        miniSearch: { searchOptions },
        // the list of pages would be found by every word in it
        _render: (text, env, md) =>
          env.relativePath === "docs/README.md" ? "" : md.render(text, env),
      },
    },
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/edit/main/:path`, text: "Edit this page on GitHub" },
    footer: { message: "MIT licensed" },
  },
});
