import { createHash, randomBytes } from "node:crypto";
import { and, eq, gt, isNull, lt, or } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { accounts, credentials } from "../database/tables.ts";

/** How long a session lasts, in milliseconds: a week. */
export const sessionTime = 604_800_000;

type Kind = "session" | "token";

const toHash = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Creates a session or a token, whose secret is stored nowhere, and deletes expired sessions of the account. */
export const createCredential = async (db: Database, kind: Kind, accountId: string, name = "") => {
  const secret = randomBytes(32).toString("base64url");
  const expiresAt = kind === "session" ? new Date(Date.now() + sessionTime) : null;
  const isOld = and(eq(credentials.accountId, accountId), lt(credentials.expiresAt, new Date()));
  await db.delete(credentials).where(isOld);
  const [created] = await db
    .insert(credentials)
    .values({ accountId, kind, name, hash: toHash(secret), expiresAt })
    .returning();
  if (!created) throw new Error("The credential was not stored");
  return { ...created, secret };
};

/** Finds the account that a secret belongs to. */
export const findAccount = async (db: Database, kind: Kind, secret: string) => {
  const isValid = or(isNull(credentials.expiresAt), gt(credentials.expiresAt, new Date()));
  const { id, email, name, role } = accounts;
  const [found] = await db
    .select({ id, email, name, role, credentialId: credentials.id })
    .from(credentials)
    .innerJoin(accounts, eq(accounts.id, credentials.accountId))
    .where(and(eq(credentials.hash, toHash(secret)), eq(credentials.kind, kind), isValid));
  return found;
};

/** The account that calls, and the session or token that it has shown. */
export type Caller = NonNullable<Awaited<ReturnType<typeof findAccount>>>;
