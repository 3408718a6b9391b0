import { http, type HttpHandler } from "msw";

/** The part of a mock that answers requests, as `mockServer` of `@sallyport/contract` returns it. */
interface Answers {
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Returns the handlers with which Mock Service Worker answers all requests below a URL from a mock.
 *
 * @param baseUrl the URL at which the page expects the API, such as `https://api.example.com` or
 * `https://example.com/api`; its path is not part of the routes
 * @example
 * const mock = await mockServer({ routing, config });
 * const worker = setupServer(...mswHandlers(mock, "https://api.example.com"));
 */
export const mswHandlers = (mock: Answers, baseUrl: string): HttpHandler[] => {
  const base = baseUrl.replace(/\/+$/, "");
  const { pathname } = new URL(base);
  const prefix = pathname === "/" ? "" : pathname;
  return [
    http.all(`${base}/*`, ({ request }) => {
      if (prefix === "") return mock.fetch(request);
      const url = new URL(request.url);
      url.pathname = url.pathname.slice(prefix.length) || "/";
      return mock.fetch(new Request(url, request));
    }),
  ];
};
