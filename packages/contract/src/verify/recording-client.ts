import { isJsonType } from "./body-type.ts";
import type { Credentials } from "./credentials.ts";
import type { VerifyClient } from "./options.ts";
import type { Exchange } from "./steps.ts";

/** Returns what a login or a fixture sends requests with; the requests are recorded. */
export const toClient = (
  send: VerifyClient["fetch"],
  credentials: Credentials,
  steps: Exchange[],
): VerifyClient => {
  const fetch: VerifyClient["fetch"] = async (input, init) => {
    const request = new Request(
      input instanceof Request ? input : new URL(input, "http://localhost"),
      init,
    );
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const body = request.body ? await request.clone().text() : undefined;
    const response = await send(request);
    const { status, headers: fields } = response;
    const type = fields.get("content-type") ?? "";
    const json: unknown = isJsonType(type)
      ? await response
          .clone()
          .json()
          .catch(() => undefined)
      : undefined;
    steps.push({
      sent: { method, url: pathname + search, headers: Object.fromEntries(headers), body },
      received: { status, headers: fields, json },
    });
    return response;
  };
  const sendTo: VerifyClient["send"] = (target, body, headers = {}) => {
    const [method = "GET", path = "/"] = target.split(" ");
    return fetch(path, {
      method,
      headers: {
        ...credentials,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  };
  return { fetch, send: sendTo };
};
