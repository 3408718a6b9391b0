// Packages that limit the rate or the duration of requests.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import timeout from "connect-timeout";
import { rateLimit } from "express-rate-limit";
import { slowDown } from "express-slow-down";

export const entries = [
  {
    name: "express-rate-limit",
    packages: ["express-rate-limit"],
    effect: "rejects the third request with 429",
    create: () => ({
      layers: () => [rateLimit({ limit: 2, standardHeaders: "draft-8", legacyHeaders: false })],
      prove: async ({ send }) => {
        assert.equal((await send("/t")).status, 200);
        assert.match((await send("/t")).headers.get("ratelimit"), /r=0/);
        const refused = await send("/t");
        assert.equal(refused.status, 429);
        assert.match(refused.text, /Too many requests/);
      },
    }),
  },
  {
    name: "express-slow-down",
    packages: ["express-slow-down"],
    effect: "delays the second request",
    create: () => ({
      layers: () => [slowDown({ delayAfter: 1, delayMs: () => 150 })],
      handler: ({ request }) => ({ used: request.slowDown.used }),
      prove: async ({ send }) => {
        assert.deepEqual((await send("/t")).data, { used: 1 });
        const begin = performance.now();
        assert.deepEqual((await send("/t")).data, { used: 2 });
        assert.ok(performance.now() - begin >= 145);
      },
    }),
  },
  {
    name: "connect-timeout",
    packages: ["connect-timeout"],
    effect: "responds with 503 if the handler takes too long",
    provokesFaults: true,
    create: () => ({
      layers: () => [timeout("50ms")],
      handler: async ({ request }) => {
        await sleep(Number(request.query.ms));
        return { isLate: request.timedout };
      },
      prove: async ({ send }) => {
        const late = await send("/t?ms=300");
        assert.equal(late.status, 503);
        assert.match(late.json.error.message, /timeout/i);
        assert.deepEqual((await send("/t?ms=1")).data, { isLate: false });
        // the abandoned handler must not respond again
        await sleep(300);
      },
    }),
  },
];
