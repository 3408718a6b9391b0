import { base, host } from "./addresses.ts";
import { readSections, type ListedPage } from "./reading-order.ts";

const toLine = ({ name, title, content }: ListedPage): string =>
  `- [${title}](${host}${base}${name}.md): ${content}`;

/** Returns the list of pages for language models, as https://llmstxt.org describes it. */
export const writeLlms = (description: string): string =>
  [
    "# sallyport",
    `> ${description}`,
    `All pages in one file: ${host}${base}llms-full.txt`,
    ...readSections().map(({ title, pages }) => `## ${title}\n\n${pages.map(toLine).join("\n")}`),
    "",
  ].join("\n\n");
