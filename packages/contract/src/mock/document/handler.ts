import { STATUS_CODES } from "node:http";
import { readOwn, type Json, type Operation } from "@sallyport/document";
import { Refused } from "./refusal.ts";
import type { MockRequest } from "./request.ts";

/** Returns a part of a reply, by the input of a request; throws an error with a `status` to reply with that error. */
export type DocumentHandler = (args: {
  /** The fields of the path, the query and the body. */
  readonly input: Readonly<Record<string, Json>>;
  readonly headers: MockRequest["headers"];
}) => unknown;

/** Handlers by method and path, such as `get /users/{id}`. */
export type DocumentHandlers = Readonly<Record<string, DocumentHandler>>;

export const toKey = ({ method, path }: Operation): string => `${method.toLowerCase()} ${path}`;

/**
 * Returns what the handler of an operation returns, if it has one.
 *
 * @throws {@link Refused} when the handler fails, or has an error for the client.
 */
export const callHandler = async (
  handlers: DocumentHandlers,
  operation: Operation,
  args: Parameters<DocumentHandler>[0],
): Promise<Json | undefined> => {
  const key = toKey(operation);
  try {
    const returned = await readOwn(handlers, key)?.(args);
    return returned === undefined ? undefined : (JSON.parse(JSON.stringify(returned)) as Json);
  } catch (error) {
    const { status, message } = Object(error) as Readonly<Record<string, unknown>>;
    if (typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599)
      throw new Refused({
        statuses: [status],
        detail:
          typeof message === "string" && message ? message : (STATUS_CODES[status] ?? "Error"),
      });
    // oxlint-disable-next-line no-console -- a mock of a document has no logger
    console.error(`mock: the handler of "${key}" has failed:`, error);
    throw new Refused({
      statuses: [500],
      detail: `The handler of "${key}" has failed; the log of the mock says why.`,
    });
  }
};
