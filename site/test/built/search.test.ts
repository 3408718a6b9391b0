import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import SiteSearch, { searchOptions } from "../../src/site-search.ts";

const chunks = new URL("../../dist/assets/chunks/", import.meta.url);
const name = readdirSync(fileURLToPath(chunks)).find((file) =>
  file.startsWith("@localSearchIndex"),
);
const { default: index } = (await import(new URL(name ?? "", chunks).href)) as {
  readonly default: string;
};
const search = SiteSearch.loadJSON(index, {
  fields: ["title", "titles", "text"],
  storeFields: ["title", "titles"],
  searchOptions,
});

/** The pages of the first three results. */
const find = (query: string): readonly string[] =>
  search
    .search(query)
    .slice(0, 3)
    .map(({ id }) =>
      String(id)
        .replace("/sallyport/", "")
        .replace(/(?:\.html)?#.*/, ""),
    );

/** What readers search for, with the pages that answer. */
const queries: Readonly<Record<string, readonly string[]>> = {
  "quick start": ["getting-started"],
  cookie: ["how-to/cookies", "input"],
  "set cookie": ["how-to/cookies"],
  "file upload": ["files-and-uploads"],
  "file download": ["files-and-uploads"],
  "status 201": ["how-to/created", "endpoints"],
  "Location header": ["how-to/created"],
  versioning: ["how-to/versions"],
  "deprecate endpoint": ["deprecation"],
  auth: ["authentication"],
  jwt: ["how-to/jwt"],
  oidc: ["how-to/jwt"],
  "api key": ["how-to/api-keys"],
  roles: ["how-to/roles", "authentication"],
  permissions: ["how-to/roles"],
  tenant: ["how-to/tenants"],
  money: ["how-to/money"],
  decimal: ["how-to/money"],
  sort: ["how-to/lists-in-sql"],
  "cursor pagination": ["pagination", "how-to/lists-in-sql"],
  csv: ["how-to/csv"],
  cron: ["how-to/jobs"],
  queue: ["how-to/bullmq", "how-to/jobs"],
  "background job": ["how-to/jobs"],
  webhook: ["how-to/outgoing-webhooks", "authentication"],
  proxy: ["how-to/proxy", "production"],
  monorepo: ["how-to/monorepo"],
  docker: ["how-to/docker", "deploy"],
  lambda: ["how-to/where-to-deploy"],
  "cloud run": ["how-to/where-to-deploy"],
  kubernetes: ["deploy"],
  tracing: ["logs", "how-to/collector"],
  cache: ["how-to/caching", "conditional-requests"],
  "rate limit": ["rate-limits"],
  websocket: ["express"],
  graphql: ["express"],
  "user id in logs": ["how-to/user-in-logs", "logs"],
  "server sent events": ["streams", "channels"],
  cors: ["cors"],
  "error format": ["results-and-errors"],
  "custom error response": ["results-and-errors"],
  "test without a port": ["testing"],
  "react query": ["client"],
  prisma: ["transactions"],
  "health check": ["health"],
  express: ["express", "from-express"],
  timeout: ["endpoints", "configuration"],
};

test("no more than two of the queries miss the page that answers among the first three results", () => {
  const missed = Object.entries(queries).flatMap(([query, pages]) => {
    const found = find(query);
    return pages.some((page) => found.includes(page)) ? [] : [`${query}: ${found.join(", ")}`];
  });
  // the message of a failure has all that are missed
  expect(missed.length > 2 ? missed : []).toEqual([]);
});
