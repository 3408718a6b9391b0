import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { drizzle as drizzlePool } from "drizzle-orm/node-postgres";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { Pool } from "pg";
import type { Logger } from "sallyport";
import type { LifecycleArguments } from "sallyport/types";
import { environment } from "../environment.ts";
import { prepareDatabase } from "./prepare-database.ts";

/** The database, or a transaction in it. */
export type Database = PgDatabase<PgQueryResultHKT>;

const limit = environment.REQUEST_TIMEOUT;

/** Creates connections to PostgreSQL, if the shop uses it; they are opened when they are first needed. */
const createPool = (max: number): Pool | undefined => {
  if (environment.DATABASE_URL === undefined) return undefined;
  return new Pool({
    connectionString: environment.DATABASE_URL,
    max,
    connectionTimeoutMillis: limit,
    statement_timeout: limit,
    idle_in_transaction_session_timeout: limit,
  });
};

const pool = createPool(environment.DATABASE_CONNECTIONS);

/** The connections for idempotency keys, whose leases must not wait for the transactions to end. */
export const keyPool: Pool | undefined = createPool(2);

interface Opened {
  readonly db: Database;
  readonly close: () => Promise<void>;
}

let opened: Opened | undefined;

export const database = (): Database => {
  if (!opened) throw new Error("The database is not open");
  return opened.db;
};

/** Runs work in a transaction. On a pool, Drizzle would keep a connection that breaks before its transaction begins. */
export const transact = async <Result>(work: (tx: Database) => Promise<Result>) => {
  const client = await pool?.connect();
  const db = client ? drizzlePool(client) : database();
  return db.transaction(work).finally(() => client?.release());
};

const isRunning = (id: number): boolean => {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
};

/** Takes the folder of PGlite, which two processes would destroy; returns a function that gives it back. */
const lockFolder = (folder: string): (() => void) => {
  const file = join(folder, "process.pid");
  const owner = existsSync(file) ? Number(readFileSync(file, "utf8")) : process.pid;
  if (owner !== process.pid && isRunning(owner)) {
    const message = `Process ${owner} already uses ${folder}: stop it, or set DATA_FOLDER or DATABASE_URL`;
    throw Object.assign(new Error(message), { code: "EBUSY" });
  }
  writeFileSync(file, String(process.pid));
  return () => rmSync(file, { force: true });
};

const openPglite = async (logger: Logger): Promise<Opened> => {
  mkdirSync(environment.DATA_FOLDER, { recursive: true });
  const unlock = lockFolder(environment.DATA_FOLDER);
  const folder = join(environment.DATA_FOLDER, "database");
  logger.info(
    existsSync(folder)
      ? `Opening the database in ${folder}, which takes a few seconds`
      : `Creating the database in ${folder}, which takes up to half a minute, only this time`,
  );
  const client = await PGlite.create(folder);
  const db = drizzlePglite(client);
  await prepareDatabase(db);
  return { db, close: () => client.close().then(unlock) };
};

const openPostgres = async (pool: Pool, logger: Logger): Promise<Opened> => {
  // the pools replace connections that break; without listeners, the process would end
  const report = (error: Error): void =>
    void logger.warn("A connection to PostgreSQL has broken", { error });
  for (const one of [pool, keyPool])
    one?.on("error", report).on("connect", (client) => void client.on("error", report));
  const client = await pool.connect();
  try {
    // of several processes that start at once, one prepares the database
    await client.query("SELECT pg_advisory_lock(hashtext('book shop'))");
    await prepareDatabase(drizzlePool(client));
    await client.query("SELECT pg_advisory_unlock(hashtext('book shop'))");
  } finally {
    // the connection is closed, and with it the lock
    client.release(true);
  }
  const close = async (): Promise<void> => {
    await pool.end();
    await keyPool?.end();
  };
  return { db: drizzlePool(pool), close };
};

/** Opens the database, creates what is missing in it, and fills an empty one. */
export const openDatabase = async ({ logger }: LifecycleArguments): Promise<void> => {
  opened = pool ? await openPostgres(pool, logger) : await openPglite(logger);
};

export const closeDatabase = async (): Promise<void> => opened?.close();
