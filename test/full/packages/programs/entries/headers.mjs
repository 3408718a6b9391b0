// Packages that set or read headers.
import assert from "node:assert/strict";
import cors from "cors";
import helmet from "helmet";
import nocache from "nocache";
import responseTime from "response-time";
import useragent from "express-useragent";

export const entries = [
  {
    name: "helmet",
    packages: ["helmet"],
    effect: "sets its headers on the response",
    create: () => ({
      layers: () => [helmet()],
      prove: async ({ send }) => {
        const { status, headers } = await send("/t");
        assert.equal(status, 200);
        assert.match(headers.get("content-security-policy"), /default-src 'self'/);
        assert.equal(headers.get("x-frame-options"), "SAMEORIGIN");
      },
    }),
  },
  {
    name: "cors",
    packages: ["cors"],
    effect: "allows the configured origin, and handles preflight requests",
    create: () => ({
      method: "post",
      layers: () => [cors({ origin: "https://a.example", credentials: true, maxAge: 7 })],
      prove: async ({ send, post }) => {
        const origin = "https://a.example";
        const { status, headers } = await post("/t", {}, { headers: { origin } });
        assert.equal(status, 200);
        assert.equal(headers.get("access-control-allow-origin"), origin);
        const preflight = await send("/t", {
          method: "OPTIONS",
          headers: { origin, "access-control-request-method": "POST" },
        });
        assert.equal(preflight.status, 204);
        assert.equal(preflight.headers.get("access-control-max-age"), "7");
        assert.match(preflight.headers.get("access-control-allow-methods"), /POST/);
      },
    }),
  },
  {
    name: "nocache",
    packages: ["nocache"],
    effect: "sets headers that forbid caching",
    create: () => ({
      layers: () => [nocache()],
      prove: async ({ send }) => {
        const { headers } = await send("/t");
        assert.match(headers.get("cache-control"), /no-store.*must-revalidate/);
        assert.equal(headers.get("surrogate-control"), "no-store");
      },
    }),
  },
  {
    name: "response-time",
    packages: ["response-time"],
    effect: "adds its header to the response",
    create: () => ({
      layers: () => [responseTime()],
      prove: async ({ send }) => {
        const { headers } = await send("/t");
        assert.match(headers.get("x-response-time"), /^\d+\.\d+ms$/);
      },
    }),
  },
  {
    name: "express-useragent",
    packages: ["express-useragent"],
    effect: "identifies the browser for the handler",
    create: () => ({
      layers: () => [useragent.express()],
      handler: ({ request }) => ({ browser: request.useragent.browser }),
      prove: async ({ send }) => {
        const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        const { data } = await send("/t", { headers: { "user-agent": agent } });
        assert.deepEqual(data, { browser: "Firefox" });
      },
    }),
  },
];
