import { withField } from "./cases.ts";
import type { Call } from "./call.ts";
import { findParameter } from "./operation.ts";
import { isSuccess } from "./received.ts";
import type { Session } from "./session.ts";
import { tryCheck, type Trial } from "./trial.ts";

const maxPages = 100;

/** Pages as they have come, and how they ended. */
interface Pages {
  readonly pages: readonly (readonly unknown[])[];
  /** The total of the last page. */
  readonly total: number | undefined;
  /** Whether all pages have come. */
  readonly isWhole: boolean;
}

/** Follows the pages of a list to their end. */
export const checkPages = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const names = new Set(
    operation.parameters.filter((one) => one.in === "query").map(({ name }) => name),
  );
  const style = names.has("cursor") ? "cursor" : names.has("offset") ? "offset" : undefined;
  if (operation.method !== "get" || style === undefined) return;
  const limit = findParameter(operation, "query", "limit")?.schema.maximum;
  const found: Pages[] = [];
  // small pages show the step from one to the next, large ones the end
  for (const size of [2, limit]) {
    const follow = (trial: Trial) => followPages(trial, base, style, size);
    const label = "pages, one after the other";
    const before = found.length;
    await tryCheck(session, operation, "pages_end", label, async (trial) => {
      const pages = await follow(trial);
      if (pages) found.push(pages);
      return (pages?.pages.flat().length ?? 0) > 0 || trial.hasFailed;
    });
    const last = found[before];
    if (!last) return;
    // these judge the same pages, so their requests are sent again only to show a failure
    const repeated = findRepeated(found);
    const count = last.pages.flat().length;
    if (count === 0) {
      session.notes.push(
        `${operation.key}: the list is empty, so neither its pages nor its items were checked. A fixture can fill it.`,
      );
      return;
    }
    await tryCheck(session, operation, "pages_overlap", label, async (trial) => {
      if (last.pages.length < 2) return false;
      if (repeated === undefined) return true;
      await follow(trial);
      return trial.fail(`An item comes on two pages: ${JSON.stringify(repeated).slice(0, 200)}.`);
    });
    await tryCheck(session, operation, "pages_total", label, async (trial) => {
      if (last.total === undefined || !last.isWhole) return false;
      if (count === last.total) return true;
      await follow(trial);
      return trial.fail(`The total is ${last.total}, but ${count} items have come.`);
    });
  }
};

/** Finds an item that comes on two pages, and is not one of several equal ones of a page. */
const findRepeated = (found: readonly Pages[]): unknown => {
  const all = found.flatMap(({ pages }) => pages);
  const isTwice = (key: string): boolean =>
    all.some((page) => page.filter((item) => toKey(item) === key).length > 1);
  for (const { pages } of found) {
    const seen = new Set<string>();
    for (const page of pages) {
      const repeated = page.find((item) => seen.has(toKey(item)) && !isTwice(toKey(item)));
      if (repeated !== undefined) return repeated;
      for (const item of page) seen.add(toKey(item));
    }
  }
  return undefined;
};

const toKey = (item: unknown): string => {
  const hasId = typeof item === "object" && item !== null && "id" in item;
  return JSON.stringify(hasId ? ["id", item.id] : item);
};

/** Follows pages; returns undefined if there is none, or their end cannot be reached. */
const followPages = async (
  trial: Trial,
  base: Call,
  style: "cursor" | "offset",
  size: number | undefined,
): Promise<Pages | undefined> => {
  const pages: (readonly unknown[])[] = [];
  const cursors = new Set<string>();
  let call = size === undefined ? base : withField(base, "query", "limit", size);
  let total: number | undefined;
  const toResult = (isWhole: boolean): Pages => ({ pages, total, isWhole });
  const fail = (message: string): undefined => void trial.fail(message);
  for (let page = 0; page < (size === 2 ? 3 : maxPages); page++) {
    const reply = await trial.call(call);
    const body = readPage(reply.json);
    if (!isSuccess(reply) || !body)
      // an offset beyond the end may be refused
      return page > 0 ? toResult(pages.flat().length === total) : undefined;
    const items = Object.values(body).find(Array.isArray) as readonly unknown[] | undefined;
    if (!items) return undefined;
    const isSame = items.length > 0 && JSON.stringify(items) === JSON.stringify(pages.at(-1));
    if (isSame) return fail("A page has the same items as the page before it.");
    if (size !== undefined && items.length > size)
      return fail(`A page has ${items.length} items, but limit is ${size}.`);
    pages.push(items);
    const { nextCursor } = body;
    total = typeof body["total"] === "number" ? body["total"] : undefined;
    if (style === "cursor") {
      if (typeof nextCursor !== "string") return toResult(true);
      if (cursors.has(nextCursor)) return fail("Pages do not end: a cursor comes again.");
      cursors.add(nextCursor);
      call = withField(call, "query", "cursor", nextCursor);
    } else {
      // the page after the last one is empty, whatever the total is
      if (items.length === 0) return toResult(true);
      if (total === undefined) return toResult(false);
      call = withField(call, "query", "offset", pages.flat().length);
    }
  }
  return size === 2 ? toResult(false) : fail(`Pages do not end: there are more than ${maxPages}.`);
};

const readPage = (json: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (typeof json !== "object" || json === null) return undefined;
  const isPage = "nextCursor" in json || "total" in json;
  return isPage ? json : "data" in json ? readPage(json.data) : undefined;
};
