import type { CallOptions } from "../client/call-options.ts";
import { ReplyError, UnexpectedBodyError } from "../client/client-errors.ts";
import type { RoutesOf } from "../client/inferred-client.ts";
import { toPayload } from "../client/pages.ts";

/** A client for the routes `R`, with inferred or generated types. */
export interface ClientOf<R> extends RoutesOf<R> {
  readonly request: (...args: never) => Promise<unknown>;
}

interface AnyReply {
  readonly ok: boolean;
  readonly status: number | string;
  readonly body: unknown;
  readonly response: Response;
}

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
    options: CallOptions,
  ) => Promise<AnyReply>;
  const { ok, status, body, response } = await request(key, input, options);
  if (ok) return toPayload(body);
  const at = key.indexOf(" ");
  const route = { method: key.slice(0, at).toUpperCase(), path: key.slice(at + 1) };
  if (status === "unexpected") throw new UnexpectedBodyError(route, response, body);
  throw new ReplyError(route, response, body);
};
