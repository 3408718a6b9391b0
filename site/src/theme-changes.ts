import { fileURLToPath } from "node:url";

/** Puts the site's own search in the place of MiniSearch's, in the search box alone. */
export const ownSearch = {
  name: "own-search",
  enforce: "pre",
  resolveId: (id: string, importer = ""): string | undefined =>
    id === "minisearch" && importer.includes("VPLocalSearchBox")
      ? fileURLToPath(new URL("site-search.ts", import.meta.url))
      : undefined,
} as const;

/** What VitePress writes of a group of the sidebar, and what it should: one button, not two, that says whether it is open. */
const changes: readonly (readonly [from: string, to: string])[] = [
  [':role="itemRole"', ':role="itemRole" :aria-expanded="item.items && !collapsed"'],
  ['role="button"\n        aria-label="toggle section"', ""],
  ['@keydown.enter="onCaretClick"\n        tabindex="0"', ""],
];

/** Makes the groups of the sidebar, which have no page of their own, accessible. */
export const accessibleGroups = {
  name: "accessible-groups",
  enforce: "pre",
  transform: (code: string, id: string): string | undefined => {
    if (!id.endsWith("/VPSidebarItem.vue")) return undefined;
    return changes.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`VPSidebarItem.vue of VitePress has no ${from}`);
      return text.replace(from, to);
    }, code);
  },
} as const;
