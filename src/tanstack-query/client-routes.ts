import type { CallOptions } from "../client/call-options.ts";
import type { RequestOptions } from "../client/client.ts";
import { ReplyError, UnexpectedBodyError } from "../client/client-errors.ts";
import type { RoutesOf } from "../client/inferred-client.ts";
import { toPayload } from "../client/pages.ts";
import type { Reply } from "../client/read-reply.ts";

/** A client for the routes `R`, with inferred or generated types. */
export interface ClientOf<R> extends RoutesOf<R> {
  readonly request: (...args: never) => Promise<unknown>;
}

type AnyReply = Pick<Reply, "ok" | "status" | "body" | "response">;
/** Calls a route and returns the data of a successful response. */
export const fetchPayload = async (
  client: ClientOf<unknown>,
  key: string,
  input: unknown,
  options: CallOptions,
): Promise<unknown> => {
  const request = client.request as unknown as (
    key: string,
    input: unknown,
    options: RequestOptions,
  ) => Promise<AnyReply>;
  const at = key.indexOf(" ");
  const route = { method: key.slice(0, at).toUpperCase(), path: key.slice(at + 1) };
  const check = ({ ok, status, body, response }: AnyReply): void => {
    if (ok) return;
    if (status === "unexpected") throw new UnexpectedBodyError(route, response, body);
    throw new ReplyError(route, response, body);
  };
  // the client checks the reply itself, so that it can report the error
  const reply = await request(key, input, { ...options, "~check": check });
  check(reply);
  return toPayload(reply.body);
};
