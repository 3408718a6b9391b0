import { readSections, readTitle } from "./reading-order.ts";
import { referencePages } from "./reference.ts";

interface Item {
  readonly text: string;
  readonly link: string;
}

interface Group {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: Item[];
}

/** What a section has beside pages of `docs/`. */
const more: Readonly<Record<string, readonly Item[]>> = {
  Reference: referencePages.map(({ name, title }) => ({ text: title, link: `/reference/${name}` })),
};

/** Returns the sections of docs/README.md with the titles of their pages; all but the first are folded until one is in them. */
export const createSidebar = (): Group[] =>
  readSections().map(({ title, pages }, index) => ({
    text: title,
    collapsed: index > 0,
    items: [
      ...pages.map(({ name }) => ({ text: readTitle(name), link: `/${name}` })),
      ...(more[title] ?? []),
    ],
  }));
