import { readFileSync } from "node:fs";

const docs = new URL("../../docs/", import.meta.url);

/** A page as docs/README.md lists it. */
export interface ListedPage {
  /** Its path in `docs/`, without `.md`. */
  readonly name: string;
  readonly title: string;
  /** What it has, in half a sentence. */
  readonly content: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly ListedPage[];
}

const readPages = (text: string): readonly ListedPage[] =>
  [...text.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\.md\) +\| (.*?) +\|$/gm)].map(
    ([, title = "", name = "", content = ""]) => ({ name, title, content }),
  );

/** The sections of docs/README.md with their pages: the one order in which the pages are read. */
export const readSections = (): readonly Section[] =>
  readFileSync(new URL("README.md", docs), "utf8")
    .split(/^## /m)
    .slice(1)
    .map((text) => ({ title: /.*/.exec(text)?.[0] ?? "", pages: readPages(text) }));

/** Returns the title of a page, which its menu and its neighbours show. */
export const readTitle = (name: string): string =>
  /^# (.+)$/m.exec(readFileSync(new URL(`${name}.md`, docs), "utf8"))?.[1]?.replaceAll("`", "") ??
  "";
