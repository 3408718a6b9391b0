import type { Request } from "express";
import { Middleware } from "sallyport";
import { database } from "../database/connection.ts";
import { findAccount, type Caller } from "./credentials.ts";

/** The cookie of a session. */
export const sessionCookie = "session";

/** Finds the account that calls by its token or its session. */
export const findCaller = async (request: Request): Promise<Caller | undefined> => {
  const [, token] = /^Bearer (\S+)$/i.exec(request.get("authorization") ?? "") ?? [];
  if (token !== undefined) return findAccount(database(), "token", token);
  const cookies = request.signedCookies as Readonly<Record<string, string | undefined>>;
  const session = cookies[sessionCookie];
  return session === undefined ? undefined : findAccount(database(), "session", session);
};

/** Recognises the account by its session or its token. */
export const authentication = new Middleware({
  security: { or: [{ type: "cookie", name: sessionCookie }, { type: "bearer" }] },
  errors: { 401: "Log in, or send a token" },
  handler: async ({ request, errors }) => {
    const caller = await findCaller(request);
    if (!caller) throw errors[401]();
    return { caller };
  },
});
