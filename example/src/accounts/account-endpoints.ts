import { and, eq } from "drizzle-orm";
import { rateLimit } from "sallyport/rate-limit";
import { z } from "zod";
import { accounts, credentials } from "../database/tables.ts";
import { accountFactory, publicFactory } from "../factories.ts";
import { createLimitStore } from "../redis.ts";
import { account, email, password, token } from "./account-schemas.ts";
import { findCaller, sessionCookie } from "./authentication.ts";
import { createCredential, sessionTime } from "./credentials.ts";
import { hashPassword, isPassword } from "./passwords.ts";

const tag = "accounts";

/** Hashing a password is expensive, so an address may ask for it only so often. */
const limitByAddress = rateLimit({
  name: "address",
  limit: 30,
  window: 60_000,
  store: createLimitStore("address"),
});

const limitByAccount = rateLimit({
  name: "account",
  limit: 10,
  window: 300_000,
  count: "failures",
  input: z.object({ email }),
  key: ({ input }) => input.email,
  store: createLimitStore("account"),
  // whoever switches the store off may not guess passwords
  passOnStoreError: false,
});

export const signUp = publicFactory.addMiddleware(limitByAddress).build({
  method: "post",
  tag,
  shortDescription: "Opens an account",
  statusCode: 201,
  errors: { taken: { status: 409, description: "The address has an account" } },
  input: z.object({
    email,
    password,
    name: z
      .string()
      .trim()
      .min(1, "Enter a name")
      .max(100)
      .meta({ examples: ["Ada Lovelace"] }),
  }),
  output: account,
  handler: async ({ input, ctx: { db }, errors }) => {
    const [created] = await db
      .insert(accounts)
      .values({ ...input, role: "customer", password: await hashPassword(input.password) })
      .onConflictDoNothing()
      .returning();
    if (!created) throw errors.taken();
    return created;
  },
});

export const logIn = publicFactory
  .addMiddleware(limitByAddress)
  .addMiddleware(limitByAccount)
  .build({
    method: "post",
    tag,
    shortDescription: "Logs in, with a cookie",
    errors: { wrong: { status: 401, description: "The address or the password is wrong" } },
    input: z.object({
      email,
      password: z
        .string()
        .max(200)
        .meta({ examples: ["a long sentence"] }),
    }),
    output: account,
    handler: async ({ input, ctx: { db }, errors, request, response }) => {
      const [found] = await db.select().from(accounts).where(eq(accounts.email, input.email));
      if (!(await isPassword(input.password, found?.password)) || !found) throw errors.wrong();
      const { secret } = await createCredential(db, "session", found.id);
      response.cookie(sessionCookie, secret, {
        signed: true,
        httpOnly: true,
        sameSite: "lax",
        secure: request.secure,
        maxAge: sessionTime,
      });
      return found;
    },
  });

export const readSession = publicFactory.build({
  tag,
  shortDescription: "Tells who is logged in",
  description: "Tells who is logged in. To be a guest is no error here, so pages can ask it.",
  output: z.object({ account: account.nullable() }),
  handler: async ({ request }) => ({ account: (await findCaller(request)) ?? null }),
});

export const logOut = accountFactory.buildVoid({
  method: "delete",
  tag,
  shortDescription: "Logs out",
  handler: async ({ ctx: { db, caller }, response }) => {
    await db.delete(credentials).where(eq(credentials.id, caller.credentialId));
    response.clearCookie(sessionCookie);
  },
});

export const readMe = accountFactory.build({
  tag,
  shortDescription: "Reads the account that calls",
  output: account,
  handler: async ({ ctx }) => ctx.caller,
});

export const createToken = accountFactory.build({
  method: "post",
  tag,
  shortDescription: "Creates a token for programs",
  description: "Creates a token for programs. It is shown only here.",
  statusCode: 201,
  input: z.object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .meta({ examples: ["nightly import"] }),
  }),
  output: token.extend({ token: z.string() }),
  handler: async ({ input: { name }, ctx: { db, caller } }) => {
    const { secret, ...created } = await createCredential(db, "token", caller.id, name);
    return { ...created, token: secret };
  },
});

/** The conditions of the tokens that an account owns. */
const tokensOf = (accountId: string) =>
  and(eq(credentials.accountId, accountId), eq(credentials.kind, "token"));

export const listTokens = accountFactory.build({
  tag,
  shortDescription: "Lists the tokens of the account",
  output: z.object({ tokens: z.array(token) }),
  handler: async ({ ctx: { db, caller } }) => ({
    tokens: await db
      .select()
      .from(credentials)
      .where(tokensOf(caller.id))
      .orderBy(credentials.createdAt),
  }),
});

export const deleteToken = accountFactory.buildVoid({
  method: "delete",
  tag,
  shortDescription: "Deletes a token",
  errors: { noToken: { status: 404, description: "There is no such token" } },
  input: z.object({ id: token.shape.id.describe("The id of the token") }),
  handler: async ({ input: { id }, ctx: { db, caller }, errors }) => {
    const deleted = await db
      .delete(credentials)
      .where(and(eq(credentials.id, id), tokensOf(caller.id)))
      .returning({ id: credentials.id });
    if (deleted.length === 0) throw errors.noToken();
  },
});
