import { withField } from "./cases.ts";
import type { Call } from "./call.ts";
import { isSuccess } from "./received.ts";
import type { Session } from "./session.ts";
import type { Trial } from "./trial.ts";

const maxPages = 100;

/** Follows the pages of a list to their end. */
export const checkPages = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const names = new Set(
    operation.parameters.filter((one) => one.in === "query").map(({ name }) => name),
  );
  const style = names.has("cursor") ? "cursor" : names.has("offset") ? "offset" : undefined;
  if (operation.method !== "get" || style === undefined) return;
  const limit = operation.parameters.find(({ name }) => name === "limit")?.schema["maximum"];
  // small pages show the step from one to the next, large ones the end
  for (const size of [2, typeof limit === "number" ? limit : undefined])
    await session.check(operation, "pages_end", "pages, one after the other", (trial) =>
      followPages(trial, base, style, size),
    );
};

/** Follows pages; returns whether there was one. */
const followPages = async (
  trial: Trial,
  base: Call,
  style: "cursor" | "offset",
  size: number | undefined,
): Promise<boolean> => {
  let call = size === undefined ? base : withField(base, "query", "limit", size);
  let offset = 0;
  let before: string | undefined;
  const cursors = new Set<string>();
  for (let page = 0; page < (size === 2 ? 3 : maxPages); page++) {
    const reply = await trial.call(call);
    const body = readPage(reply.json);
    if (!isSuccess(reply) || !body) return page > 0;
    const items = Object.values(body).find(Array.isArray) as readonly unknown[] | undefined;
    const text = JSON.stringify(items);
    if (items && items.length > 0 && text === before)
      return trial.fail("A page has the same items as the page before it.");
    if (size !== undefined && items && items.length > size)
      return trial.fail(`A page has ${items.length} items, but limit is ${size}.`);
    before = text;
    const { nextCursor, total } = body;
    if (style === "cursor") {
      if (typeof nextCursor !== "string") return true;
      if (cursors.has(nextCursor)) return trial.fail("Pages do not end: a cursor comes again.");
      cursors.add(nextCursor);
      call = withField(call, "query", "cursor", nextCursor);
    } else {
      offset += items?.length ?? 0;
      if (typeof total !== "number" || offset >= total) return true;
      if (!items || items.length === 0)
        return trial.fail(`A page is empty, but only ${offset} of ${total} items have come.`);
      call = withField(call, "query", "offset", offset);
    }
  }
  return size === 2 || trial.fail(`Pages do not end: there are more than ${maxPages}.`);
};

const readPage = (json: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (typeof json !== "object" || json === null) return undefined;
  const isPage = "nextCursor" in json || "total" in json;
  return isPage ? json : "data" in json ? readPage(json.data) : undefined;
};
