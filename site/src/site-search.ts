import MiniSearch, { type Options, type Query, type SearchResult } from "minisearch";

/** Words that readers search for, each with what the pages say instead. */
const synonyms: Readonly<Record<string, string>> = {
  auth: "authentication",
  authorization: "roles",
  login: "log in",
  oidc: "jwt",
  oauth: "jwt",
  lambda: "serverless",
  vercel: "serverless",
  edge: "serverless",
  k8s: "kubernetes",
  hosting: "deploy",
  tenancy: "tenant",
  "multi-tenant": "tenant",
  multitenancy: "tenant",
  decimal: "money",
  currency: "money",
  job: "outbox",
  jobs: "outbox",
  queue: "bullmq",
  background: "outbox",
  schedule: "cron",
  versioning: "versions",
  spreadsheet: "csv",
  excel: "csv",
  swagger: "openapi",
  sse: "event stream",
  realtime: "event stream",
  websockets: "websocket",
  throttle: "rate limit",
  throttling: "rate limit",
  workspace: "monorepo",
  turborepo: "monorepo",
  tracing: "opentelemetry",
  metrics: "opentelemetry",
  otel: "opentelemetry",
  caching: "etag",
  cache: "etag",
  sdk: "client",
  permission: "roles",
  permissions: "roles",
  rbac: "roles",
  i18n: "language",
  translate: "language",
  mount: "attachRouting",
  format: "envelope",
  timeout: "time limit",
  timeouts: "time limit",
  quick: "getting started",
  quickstart: "getting started",
};

/** Words that say nothing about a page. */
const stopWords: ReadonlySet<string> = new Set(
  "a an and as at by can do does for from how i in is it my of on or the to use with what".split(
    " ",
  ),
);

/** How much a section counts by where it is: guides before reference, and lists after both. */
const weights: readonly (readonly [path: RegExp, weight: number])[] = [
  [/\/reference\//, 0.4],
  [/\/(?:errors|internals\/[^/]+)$/, 0.4],
  [/\/(?:from-[^/]+|leaving|compared|tutorial)$/, 0.6],
  [/\/how-to\//, 1.3],
];

const toPath = (id: string): string => id.replace(/#.*/, "").replace(/(?:\.html|\.md)$/, "");

const weigh = (id: string): number => weights.find(([path]) => path.test(toPath(id)))?.[1] ?? 1;

/** A word, or what the pages say instead of it. */
const toQuery = (word: string): Query => {
  const synonym = synonyms[word.toLowerCase()];
  if (synonym === undefined) return word;
  return {
    combineWith: "OR",
    queries: [word, { combineWith: "AND", queries: synonym.split(" ") }],
  };
};

/** How words are compared, in place of the options that VitePress has. */
export const searchOptions = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } };

/** The search of the site: sections with all words come before those with some of them, and guides before reference. */
export default class SiteSearch<T = unknown> extends MiniSearch<T> {
  static override loadJSON<T>(json: string, options: Options<T>): MiniSearch<T> {
    const index = MiniSearch.loadJSON(json, options);
    const search = index.search.bind(index);
    index.search = (query, given) => {
      if (typeof query !== "string") return search(query, given);
      const words = query.split(/\s+/).filter((word) => word !== "");
      const telling = words.filter((word) => !stopWords.has(word.toLowerCase()));
      const queries = (telling.length > 0 ? telling : words).map(toQuery);
      const find = (combineWith: "AND" | "OR"): SearchResult[] =>
        search({ combineWith, queries }, { boostDocument: (id) => weigh(String(id)), ...given });
      const whole = find("AND");
      const found = new Set(whole.map(({ id }) => String(id)));
      return [...whole, ...find("OR").filter(({ id }) => !found.has(String(id)))];
    };
    return index;
  }
}
