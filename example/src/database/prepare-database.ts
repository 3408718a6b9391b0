import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
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

/** Creates the tables, and fills an empty database with books and an administrator. */
export const prepareDatabase = async (db: NodePgDatabase | PgliteDatabase): Promise<void> => {
  if (db instanceof PgliteDatabase) await migratePglite(db, { migrationsFolder });
  else await migratePool(db, { migrationsFolder });
  if ((await db.$count(accounts)) > 0) return;
  const { valid, wrong } = await parseBooks(createReadStream(toPath("../../seed/books.csv")));
  if (wrong.length > 0) throw new Error(`Wrong rows in seed/books.csv: ${JSON.stringify(wrong)}`);
  await db.insert(books).values(valid).onConflictDoNothing();
  const email = environment.ADMIN_EMAIL.toLowerCase();
  const password = await hashPassword(environment.ADMIN_PASSWORD);
  await db.insert(accounts).values({ email, name: "Administrator", role: "admin", password });
};
