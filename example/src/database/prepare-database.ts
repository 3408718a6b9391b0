import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { migrate as migratePool } from "drizzle-orm/node-postgres/migrator";
import { PgliteDatabase } from "drizzle-orm/pglite";
import { migrate as migratePglite } from "drizzle-orm/pglite/migrator";
import { hashPassword } from "../accounts/passwords.ts";
import { parseBooks } from "../books/book-csv.ts";
import { environment } from "../environment.ts";
import { accounts, books } from "./tables.ts";

const toPath = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const migrationsFolder = toPath("../../migrations");

/** Creates an administrator, unless there is one, and prints the password if it is a new one. */
const createAdministrator = async (db: NodePgDatabase | PgliteDatabase): Promise<void> => {
  const password = environment.ADMIN_PASSWORD ?? randomBytes(12).toString("base64url");
  const created = await db
    .insert(accounts)
    .values({
      email: environment.ADMIN_EMAIL.toLowerCase(),
      name: "Administrator",
      role: "admin",
      password: await hashPassword(password),
    })
    .onConflictDoNothing()
    .returning();
  if (created.length > 0 && environment.ADMIN_PASSWORD === undefined)
    // oxlint-disable-next-line no-console -- shown once, and kept nowhere
    console.log(`Administrator: ${environment.ADMIN_EMAIL}, password: ${password}`);
};

/** Creates the tables, and fills an empty database with books and an administrator. */
export const prepareDatabase = async (db: NodePgDatabase | PgliteDatabase): Promise<void> => {
  if (db instanceof PgliteDatabase) await migratePglite(db, { migrationsFolder });
  else await migratePool(db, { migrationsFolder });
  const { rows } = await db.execute(sql`SELECT 1 FROM ${accounts} LIMIT 1`);
  if (rows.length > 0) return;
  const { valid } = parseBooks(await readFile(toPath("../../seed/books.csv"), "utf8"));
  await db.insert(books).values(valid).onConflictDoNothing();
  await createAdministrator(db);
};
