import type { Fetch } from "./call-options.ts";
import { RedirectError, type CallRoute } from "./client-errors.ts";

/**
 * Sends a request with `redirect: "manual"`, and follows redirects within its origin as `fetch` does.
 *
 * @throws {@link RedirectError} when a redirect leads to another origin; in browsers, which hide where a redirect leads,
 * when there is one.
 * @see https://fetch.spec.whatwg.org/#http-redirect-fetch
 */
export const followRedirects = async (
  route: CallRoute,
  send: Fetch,
  url: string,
  { headers, ...init }: RequestInit & { readonly headers: Headers },
): Promise<Response> => {
  for (let redirects = 0; ; redirects++) {
    const response = await send(url, { ...init, headers });
    if (response.type === "opaqueredirect")
      throw new RedirectError(route, "an origin that browsers hide");
    const { status } = response;
    const location = response.headers.get("location");
    if (location === null || ![301, 302, 303, 307, 308].includes(status)) return response;
    await response.body?.cancel();
    // a `fetch` for tests may accept a path alone
    const from = new URL(response.url || url, "http://localhost");
    const to = new URL(location, from);
    if (to.origin !== from.origin) throw new RedirectError(route, to.origin);
    // the limit of `fetch`
    if (redirects === 20) throw new TypeError("too many redirects");
    if (status === 303 || (status < 303 && init.method === "POST")) {
      init.method = "GET";
      init.body = null;
      headers.delete("content-type");
    }
    url = to.href;
  }
};
