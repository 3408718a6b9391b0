import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import { base, host, repository } from "../src/addresses.ts";
import { markdown } from "../src/markdown.ts";
import { createSidebar } from "../src/sidebar.ts";
import { writePages } from "../src/write-pages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const description =
  "Typed HTTP APIs for Node.js: declare schemas and a handler, and nothing passes unchecked, in or out.";

writePages();

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
    "docs/internals/:page": "internals/:page",
    "site/generated/index.md": "index.md",
    "site/generated/reference/:page": "reference/:page",
  },
  outDir: fileURLToPath(new URL("../dist", import.meta.url)),
  cleanUrls: true,
  // where the servers of the examples listen
  ignoreDeadLinks: "localhostLinks",
  head: [["link", { rel: "icon", href: `${base}icon.svg`, type: "image/svg+xml" }]],
  sitemap: { hostname: `${host}${base}` },
  markdown,
  vite: {
    publicDir: fileURLToPath(new URL("../public", import.meta.url)),
    plugins: [
      llmstxt({
        domain: host,
        description,
        // the page of pages would repeat what llms.txt lists
        ignoreFiles: ["docs/README.md", "site/generated/index.md"],
        // typed with the Vite of the tests, not with that of VitePress
      }) as never,
    ],
  },
  themeConfig: {
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "Reference", link: "/reference/configuration" },
      { text: "Errors", link: "/errors" },
      { text: "API of a shop", link: "/shop/", target: "_self" },
    ],
    sidebar: createSidebar(),
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/edit/main/:path`, text: "Edit this page on GitHub" },
    footer: { message: "MIT licensed" },
  },
});
