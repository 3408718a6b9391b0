import { Middleware } from "sallyport";
import { database } from "../database/connection.ts";
import { findAccount, type Caller } from "./credentials.ts";

/** The cookie of a session. */
export const sessionCookie = "session";

/** Recognises the account by its session or its token. */
export const authentication = new Middleware({
  security: { or: [{ type: "cookie", name: sessionCookie }, { type: "bearer" }] },
  errors: { 401: "Log in, or send a token" },
  handler: async ({ request, errors }) => {
    const [, token] = /^Bearer (\S+)$/i.exec(request.get("authorization") ?? "") ?? [];
    const cookies = request.signedCookies as Readonly<Record<string, string | undefined>>;
    const session = cookies[sessionCookie];
    let caller: Caller | undefined;
    if (token !== undefined) caller = await findAccount(database(), "token", token);
    else if (session !== undefined) caller = await findAccount(database(), "session", session);
    if (!caller) throw errors[401]();
    return { caller };
  },
});
