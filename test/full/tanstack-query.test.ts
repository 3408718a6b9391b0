import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../package/guide.ts";
import { createConsumer, pack, run } from "../package/pack.ts";
import { ensureBuilt } from "./harness.ts";

const program = `
import * as query from "@tanstack/react-query";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { createClient, ReplyError } from "sallyport/client";
import { infiniteQueryOptions, mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { z } from "zod";

interface User { name: string }
const errors = { 409: { description: "Taken", schema: z.object({ by: z.string() }) } };
const routing = {
  users: {
    ":id": factory.build({ input: z.object({ id: z.string() }), output: z.object({ name: z.string() }), errors, handler: () => ({ name: "" }) }),
    post: factory.build({ method: "post", input: z.object({ name: z.string() }), output: z.object({ n: z.int() }), handler: () => ({ n: 1 }) }),
  },
  count: factory.build({ output: z.object({ n: z.int() }), handler: () => ({ n: 1 }) }),
  pages: factory.build({ ...ez.paginated({ style: "cursor", itemSchema: z.int() }), handler: () => ({ items: [], nextCursor: null, limit: 1 }) }),
};
const client = createClient<typeof routing>({ baseUrl: "" });
const ids: readonly string[] = ["1"];
const toUser = (id: string) => queryOptions(client, "get /users/:id", { id });
const user = toUser("1");
const skipped = queryOptions(client, "get /users/:id", ids[0] ? { id: ids[0] } : query.skipToken);
const count = queryOptions(client, "get /count");
const whole = queryOptions(client, "get /count", {}, { reply: true });
const pages = infiniteQueryOptions(client, "get /pages", { limit: 2 });
const make = mutationOptions(client, "post /users");

/** Fails to compile unless the error is that of the route. */
const readBy = (error: typeof user.throwOnError extends ((error: infer E) => boolean) | undefined ? E | null : never) =>
  error instanceof ReplyError && error.status === 409 ? error.body.error.data.by : "";

export const useAll = () => {
  const one = query.useQuery(user);
  one.data satisfies User | undefined;
  readBy(one.error);
  query.useQuery({ ...user, select: ({ name }) => name, staleTime: 1 }).data satisfies string | undefined;
  query.useQuery({ ...user, retry: (n, error) => n < 2 && error.message !== "", retryDelay: 5, throwOnError: true }).data satisfies User | undefined;
  query.useQuery(query.queryOptions({ ...user, staleTime: 1 })).data satisfies User | undefined;
  query.useQuery(skipped).data satisfies User | undefined;
  query.useQuery(whole).data?.headers["x-a"] satisfies string | undefined;

  const suspended = query.useSuspenseQuery(user);
  suspended.data satisfies User;
  readBy(suspended.error);

  const [a, b, c, d] = query.useQueries({ queries: [user, count, skipped, { ...user, select: ({ name }: User) => name }] });
  a.data satisfies User | undefined;
  readBy(a.error);
  b.data satisfies { n: number } | undefined;
  c.data satisfies User | undefined;
  d.data satisfies string | undefined;
  query.useQueries({ queries: ids.map(toUser) })[0]?.data satisfies User | undefined;
  query.useQueries({ queries: ids.map(toUser), combine: (all) => all.map(({ data }) => data?.name) }) satisfies (string | undefined)[];

  const [e, f] = query.useSuspenseQueries({ queries: [user, { ...count, staleTime: 1 }] });
  e.data satisfies User;
  readBy(e.error);
  f.data.n satisfies number;
  query.useSuspenseQueries({ queries: ids.map(toUser) })[0]?.data satisfies User | undefined;

  query.useInfiniteQuery(pages).data?.pages[0]?.items satisfies number[] | undefined;
  query.useInfiniteQuery({ ...pages, select: (all) => all.pages.flatMap(({ items }) => items) }).data satisfies number[] | undefined;
  query.useSuspenseInfiniteQuery(pages).data.pages[0]?.items satisfies number[] | undefined;

  const { mutate, error } = query.useMutation({ ...make, onSuccess: ({ n }, { name }) => void (n.toFixed() + name) });
  mutate({ name: "a" });
  if (error instanceof ReplyError) error.body.error.message satisfies string;

  query.usePrefetchQuery(user);
  query.usePrefetchInfiniteQuery(pages);
};

export const load = async (queries: query.QueryClient) => {
  await queries.prefetchQuery(user);
  await queries.prefetchInfiniteQuery(pages);
  (await queries.fetchQuery(user)) satisfies User;
  (await queries.ensureQueryData(user)) satisfies User;
  (await queries.ensureInfiniteQueryData(pages)).pages[0]?.items satisfies number[] | undefined;
  queries.getQueryData(user.queryKey) satisfies User | undefined;
  queries.setQueryData(user.queryKey, { name: "a" });
};
`;

let folder = "";
beforeAll(() => {
  ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), "sallyport-tanstack-query-"));
  createConsumer(folder, pack(folder), ["react@19", "@types/react@19"]);
  writeFileSync(join(folder, "program.ts"), program);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(["~5.62.0", "^5.108.0"])("the options fit each function of React Query %s", (version) => {
  const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  run("npm", [...install, `@tanstack/react-query@${version}`], folder);
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true },
    ...{ module: "nodenext", target: "es2023", lib: ["es2023", "dom"], types: ["node"] },
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  expect(run(process.execPath, [compiler, "-p", folder, "--pretty", "false"], folder)).toBe("");
});
