import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { referencePages } from "./reference.ts";

const docs = new URL("../../docs/", import.meta.url);

/** The groups of the sidebar, each with the names of its pages in `docs/`. */
export const groups: Readonly<Record<string, readonly string[]>> = {
  Start: [
    ...["getting-started", "compared", "from-express", "from-ts-rest"],
    ...["from-express-zod-api", "from-an-openapi-document", "leaving"],
  ],
  Tutorial: ["tutorial"],
  Concepts: [
    ...["endpoints", "input", "middlewares", "results-and-errors", "routing", "authentication"],
    ...["pagination", "files-and-uploads", "streams", "channels", "transactions"],
    ...["conditional-requests", "idempotency", "testing"],
  ],
  Client: ["client", "deprecation"],
  Documents: ["openapi", "verify", "lock", "mock"],
  Production: ["production", "deploy", "health", "logs", "cors", "rate-limits", "cluster", "fetch"],
  Express: ["express"],
  Reference: ["configuration", "errors"],
  Internals: ["internals/reliability", "internals/performance"],
};

interface Item {
  readonly text: string;
  readonly link: string;
  /** `_self` for what is no page of VitePress, whose router would not find it. */
  readonly target?: string;
}

/** What a group has beside pages of `docs/`. */
const more: Readonly<Record<string, readonly Item[]>> = {
  Documents: [{ text: "The API of the book shop", link: "/shop/", target: "_self" }],
  Reference: referencePages.map(({ name, title }) => ({ text: title, link: `/reference/${name}` })),
};

const readTitle = (file: URL): string =>
  /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1]?.replaceAll("`", "") ?? "";

/** Returns the groups with the titles of their pages; groups without a page are left out. */
export const createSidebar = (): { text: string; items: Item[] }[] =>
  Object.entries(groups)
    .map(([text, names]) => {
      const files = names.map((name) => ({ name, file: new URL(`${name}.md`, docs) }));
      const pages = files
        .filter(({ file }) => existsSync(fileURLToPath(file)))
        .map(({ name, file }) => ({ text: readTitle(file), link: `/${name}` }));
      return { text, items: [...pages, ...(more[text] ?? [])] };
    })
    .filter(({ items }) => items.length > 0);
