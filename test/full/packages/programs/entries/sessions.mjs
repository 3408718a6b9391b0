// Packages that keep a client's data between requests.
import assert from "node:assert/strict";
import flash from "connect-flash";
import cookieParser from "cookie-parser";
import cookieSession from "cookie-session";
import { doubleCsrf } from "csrf-csrf";
import session from "express-session";

export const createSession = () =>
  session({ secret: "secret", resave: false, saveUninitialized: true });

const provesCount = async ({ send }) => {
  let cookie = "";
  for (const count of [1, 2, 3]) {
    const answer = await send("/t", { headers: { cookie } });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.data, { count });
    cookie = answer.cookie || cookie;
  }
  assert.deepEqual((await send("/t")).data, { count: 1 });
};

const countVisits = ({ request }) => {
  request.session.count = (request.session.count ?? 0) + 1;
  return { count: request.session.count };
};

export const entries = [
  {
    name: "cookie-parser",
    packages: ["cookie-parser"],
    effect: "gives the handler the cookies, and signed ones only if their signature is valid",
    create: () => ({
      layers: () => [cookieParser("secret")],
      handler: ({ request, response }) => {
        response.cookie("own", "s", { signed: true });
        return { plain: request.cookies, signed: request.signedCookies };
      },
      prove: async ({ send }) => {
        const { cookie } = await send("/t");
        const headers = { cookie: `a=1; ${cookie}; forged=s%3As.x` };
        const { data } = await send("/t", { headers });
        assert.deepEqual(data, { plain: { a: "1" }, signed: { own: "s", forged: false } });
      },
    }),
  },
  {
    name: "express-session",
    packages: ["express-session"],
    effect: "keeps a count of a client's visits",
    create: () => ({ layers: () => [createSession()], handler: countVisits, prove: provesCount }),
  },
  {
    name: "cookie-session",
    packages: ["cookie-session"],
    effect: "keeps a count of a client's visits",
    create: () => ({
      layers: () => [cookieSession({ keys: ["secret"] })],
      handler: countVisits,
      prove: provesCount,
    }),
  },
  {
    name: "connect-flash",
    packages: ["connect-flash"],
    effect: "makes a message available to the next request, and only once",
    create: () => ({
      method: ["get", "post"],
      layers: () => [createSession(), flash()],
      handler: ({ request }) => {
        if (request.method === "POST") request.flash("info", "saved");
        return { messages: request.method === "GET" ? request.flash("info") : [] };
      },
      prove: async ({ send, post }) => {
        const { cookie } = await post("/t");
        const headers = { cookie };
        assert.deepEqual((await send("/t", { headers })).data, { messages: ["saved"] });
        assert.deepEqual((await send("/t", { headers })).data, { messages: [] });
      },
    }),
  },
  {
    name: "csrf-csrf",
    packages: ["csrf-csrf"],
    effect: "responds with 403 to a POST without its token",
    create: () => {
      const { doubleCsrfProtection } = doubleCsrf({
        getSecret: () => "secret",
        getSessionIdentifier: () => "one",
        cookieName: "csrf",
        cookieOptions: { secure: false },
      });
      return {
        method: ["get", "post"],
        layers: () => [cookieParser(), doubleCsrfProtection],
        handler: ({ request }) => ({
          token: request.method === "GET" ? request.csrfToken() : "spent",
        }),
        prove: async ({ send, post }) => {
          const { cookie, data } = await send("/t");
          const token = data.token;
          assert.equal((await post("/t", {}, { headers: { cookie } })).status, 403);
          const headers = { cookie, "x-csrf-token": token };
          assert.deepEqual((await post("/t", {}, { headers })).data, { token: "spent" });
        },
      };
    },
  },
];
