// Packages that authenticate the client.
import assert from "node:assert/strict";
import { memoryAdapter } from "better-auth/adapters/memory";
import { betterAuth } from "better-auth";
import { fromNodeHeaders, toNodeHandler } from "better-auth/node";
import express from "express";
import basicAuth from "express-basic-auth";
import { expressjwt } from "express-jwt";
import jwt from "jsonwebtoken";
import { Passport } from "passport";
import { Strategy as BearerStrategy } from "passport-http-bearer";
import { Strategy as LocalStrategy } from "passport-local";
import { createSession } from "./sessions.mjs";

const createLocal = () => {
  const passport = new Passport();
  passport.use(
    new LocalStrategy((name, password, done) => done(null, password === "right" && { name })),
  );
  passport.serializeUser((user, done) => done(null, user.name));
  passport.deserializeUser((name, done) => done(null, { name }));
  return passport;
};

const createAuth = (baseURL) =>
  betterAuth({
    baseURL,
    secret: "a secret of thirty-two characters",
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
  });

export const entries = [
  {
    name: "passport-local",
    packages: ["passport", "passport-local", "express-session"],
    effect: "a login with a form starts a session; others get a 401",
    create: () => {
      const passport = createLocal();
      const logIn = passport.authenticate("local");
      return {
        method: ["get", "post"],
        layers: () => [
          createSession(),
          passport.initialize(),
          passport.session(),
          express.urlencoded(),
          (request, response, next) =>
            request.method === "POST" ? logIn(request, response, next) : next(),
        ],
        handler: ({ request }) => ({ name: request.user?.name ?? null }),
        prove: async ({ send, post }) => {
          const logInWith = (password) =>
            post("/t", new URLSearchParams({ username: "ada", password }));
          assert.equal((await logInWith("wrong")).status, 401);
          const { data, cookie } = await logInWith("right");
          assert.deepEqual(data, { name: "ada" });
          assert.deepEqual((await send("/t", { headers: { cookie } })).data, { name: "ada" });
          assert.deepEqual((await send("/t")).data, { name: null });
        },
      };
    },
  },
  {
    name: "passport-http-bearer",
    packages: ["passport", "passport-http-bearer"],
    effect: "accepts a valid token; others get a 401 with a challenge",
    create: () => {
      const passport = new Passport();
      passport.use(
        new BearerStrategy((token, done) => done(null, token === "t0ken" && { name: "ada" })),
      );
      return {
        layers: () => [passport.authenticate("bearer", { session: false })],
        handler: ({ request }) => ({ name: request.user.name }),
        prove: async ({ send }) => {
          const refused = await send("/t", { headers: { authorization: "Bearer other" } });
          assert.equal(refused.status, 401);
          assert.match(refused.headers.get("www-authenticate"), /Bearer/);
          const { data } = await send("/t", { headers: { authorization: "Bearer t0ken" } });
          assert.deepEqual(data, { name: "ada" });
        },
      };
    },
  },
  {
    name: "express-jwt",
    packages: ["express-jwt"],
    effect: "the handler has the claims of a valid token; others get a 401",
    create: () => ({
      layers: () => [expressjwt({ secret: "secret", algorithms: ["HS256"] })],
      handler: ({ request }) => ({ sub: request.auth.sub }),
      prove: async ({ send }) => {
        assert.equal((await send("/t")).status, 401);
        const authorization = `Bearer ${jwt.sign({ sub: "ada" }, "secret")}`;
        assert.deepEqual((await send("/t", { headers: { authorization } })).data, { sub: "ada" });
        const forged = `Bearer ${jwt.sign({ sub: "ada" }, "other")}`;
        assert.equal((await send("/t", { headers: { authorization: forged } })).status, 401);
      },
    }),
  },
  {
    name: "express-basic-auth",
    packages: ["express-basic-auth"],
    effect: "the handler has the user for valid credentials; others get a 401",
    create: () => ({
      layers: () => [basicAuth({ users: { ada: "right" }, challenge: true })],
      handler: ({ request }) => ({ name: request.auth.user }),
      prove: async ({ send }) => {
        const refused = await send("/t");
        assert.equal(refused.status, 401);
        assert.match(refused.headers.get("www-authenticate"), /Basic/);
        const authorization = `Basic ${Buffer.from("ada:right").toString("base64")}`;
        assert.deepEqual((await send("/t", { headers: { authorization } })).data, { name: "ada" });
      },
    }),
  },
  {
    name: "better-auth",
    packages: ["better-auth"],
    effect: "a sign-up sets a cookie, which gives the handler the session",
    create: () => {
      const auth = createAuth("http://127.0.0.1");
      const handle = toNodeHandler(auth);
      return {
        method: ["get", "post"],
        path: "/api/auth/*rest",
        layers: () => [
          (request, response, next) =>
            request.path.startsWith("/api/auth/") ? handle(request, response) : next(),
        ],
        prove: async ({ post, send, url }) => {
          const headers = { origin: "http://127.0.0.1" };
          const body = { name: "Ada", email: "ada@a.example", password: "long enough" };
          const { status, cookie } = await post("/api/auth/sign-up/email", body, { headers });
          assert.equal(status, 200);
          const { json } = await send("/api/auth/get-session", { headers: { cookie } });
          assert.equal(json.user.email, "ada@a.example");
          const own = await auth.api.getSession({ headers: fromNodeHeaders({ cookie }) });
          assert.equal(own.user.name, "Ada");
          assert.equal((await send("/api/auth/get-session")).json, null, url);
        },
      };
    },
  },
];
