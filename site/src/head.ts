import type { HeadConfig, PageData } from "vitepress";
import { base, host } from "./addresses.ts";
import { readSections } from "./reading-order.ts";

const contents: ReadonlyMap<string, string> = new Map([
  ["pages", "All pages of the documentation, in reading order"],
  ...readSections().flatMap(({ pages }) =>
    pages.map(({ name, content }) => [name, content.replaceAll("`", "")] as const),
  ),
]);

/** Returns the path of a page relative to the landing page, whose own is empty. */
export const toPath = (relativePath: string): string =>
  relativePath.replace(/\.md$/, "").replace(/(^|\/)index$/, "$1");

/** What a page has: its own description, or the one in docs/README.md. */
export const describePage = ({ relativePath, frontmatter, description }: PageData): string =>
  frontmatter["description"] ?? contents.get(toPath(relativePath)) ?? description;

/** The path of the image that a link to a page is shown with. */
export const toCardPath = (path: string): string => `og/${path === "" ? "index" : path}.png`;

const property = (name: string, content: string): HeadConfig => [
  "meta",
  { property: name, content },
];

/** What the head of a page says to search engines, and to whoever shows a link to it. */
export const createHead = (page: PageData): HeadConfig[] => {
  // what is not found has no address
  if (page.relativePath === "404.md") return [["meta", { name: "robots", content: "noindex" }]];
  const path = toPath(page.relativePath);
  const url = `${host}${base}${path}`;
  return [
    ["link", { rel: "canonical", href: url }],
    property("og:type", path === "" ? "website" : "article"),
    property("og:site_name", "sallyport"),
    property("og:title", page.title),
    property("og:description", page.description),
    property("og:url", url),
    property("og:image", `${host}${base}${toCardPath(path)}`),
    property("og:image:width", "1200"),
    property("og:image:height", "630"),
    ["meta", { name: "twitter:card", content: "summary_large_image" }],
  ];
};
