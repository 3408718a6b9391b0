import {
  accepts,
  explain,
  readOwn,
  toView,
  type Json,
  type Media,
  type Operation,
  type Response,
} from "@sallyport/document";
import { toBytes } from "../generate-content.ts";
import { merge } from "../make-value.ts";
import type { Preference } from "../preference.ts";
import { isTimeout, withinTime } from "../within-time.ts";
import { chooseValue, findExample, listExamples } from "./choose-value.ts";
import { callHandler, toKey, type DocumentHandlers } from "./handler.ts";
import { isJson, negotiate, type Chosen } from "./media-types.ts";
import { Refused } from "./refusal.ts";
import type { MockRequest, Reply } from "./request.ts";
import { isStream, writeBody, writeStream } from "./write-body.ts";

/** What a reply follows from. */
interface Scene {
  readonly status: number;
  readonly preference: Preference;
  readonly fields: Readonly<Record<string, Json>>;
  readonly seed: string;
}

/** The body of a reply, the header fields that belong to it, and the value that it has. */
interface Written extends Omit<Reply, "status"> {
  readonly value?: Json | undefined;
}

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Writes the body of a reply in the media type that the client prefers, with what the handler returns. */
export const writeReply = async (
  handlers: DocumentHandlers,
  operation: Operation,
  response: Response | undefined,
  { status, preference, fields, seed }: Scene,
  { headers }: MockRequest,
): Promise<Written> => {
  const callOwn = async (): Promise<Json | undefined> =>
    status < 400 ? callHandler(handlers, operation, { input: fields, headers }) : undefined;
  const { content = {} } = response ?? {};
  const types = Object.keys(content);
  if (types.length === 0 || withoutBody.has(status)) {
    await callOwn();
    return { headers: {} };
  }
  const chosen =
    negotiate(types, headers["accept"]) ??
    (status >= 400 ? negotiate(types, undefined) : undefined);
  if (!chosen)
    throw new Refused({ statuses: [406], detail: `The reply is one of ${types.join(", ")}.` });
  const media = readOwn(content, chosen.declared) ?? { encoding: {} };
  checkExample(media, preference);
  const type = { "content-type": toContentType(chosen) };
  const returned = await callOwn();
  if (isStream(chosen.type) && !media.examples)
    return { headers: type, body: writeStream(chosen.type, media, seed) };
  const isDescribed = media.schema !== undefined || media.examples !== undefined;
  if (!isDescribed && returned === undefined) return { headers: type, body: toBytes(chosen.type) };
  const schema = toView(media.schema ?? {}, "response");
  const made = isDescribed ? inTime(() => chooseValue(media, preference, seed, fields)) : undefined;
  const value = merge(made, returned) as Json;
  const problem = returned === undefined ? undefined : explain(schema, value);
  if (problem)
    throw new Refused({
      statuses: [500],
      detail: `The handler of "${toKey(operation)}" does not fit the document: ${problem.path} ${problem.message}.`,
    });
  const isText = typeof returned === "string" && !isJson(chosen.type);
  return { headers: type, body: isText ? returned : writeBody(chosen.type, value, schema), value };
};

/** @throws {@link Refused} when a pattern, or a size, keeps the making of a value busy. */
const inTime = <Result>(work: () => Result): Result => {
  try {
    return withinTime(work, 2000);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new Refused({
      statuses: [500],
      detail: "No value of the reply was made in 2 seconds. Add an example to its schema.",
    });
  }
};

const toContentType = ({ type }: Chosen): string =>
  type.startsWith("text/") && !type.includes("charset") ? `${type}; charset=utf-8` : type;

/** @throws {@link Refused} when the reply has no such example. */
const checkExample = (media: Media, { example }: Preference): void => {
  if (example === undefined) return;
  const schema = toView(media.schema ?? {}, "response");
  const found = findExample(media, example);
  const problem = found === undefined ? undefined : explain(schema, found);
  if (found !== undefined && !problem) return;
  const valid = Object.entries(listExamples(media)).filter(([, one]) => accepts(schema, one));
  throw new Refused({
    statuses: [400],
    detail: problem
      ? `Prefer: the schema of the reply does not accept this example: ${problem.path} ${problem.message}.`
      : `Prefer: the reply has no such example; use one of ${valid.map(([name]) => name).join(", ") || "those that you add to the document"}.`,
  });
};
