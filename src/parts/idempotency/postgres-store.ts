import { anything, aText, checkOptions, refuseValue } from "../../basics/messages/option-checks.ts";
import { toServiceName } from "../../basics/messages/service-name.ts";
import type { Claim, IdempotencyStore, KeptReply } from "./idempotency-store.ts";

/** A pool of the package pg, or a PGlite. */
export interface PostgresPool {
  readonly query: (text: string, values?: unknown[]) => Promise<{ readonly rows: unknown[] }>;
}

const defaultTable = "idempotency_keys";

type Row = Claim & { readonly reply: string | null };

const optionChecks = { name: aText, table: anything };

/** How often expired keys are deleted, in milliseconds. */
const sweepInterval = 60_000;

const assertTable = (where: string, table: string): void => {
  if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?$/.test(table))
    refuseValue(where, "table", "the name of a table, such as `api.idempotency_keys`", table);
};

/**
 * Returns the SQL that creates the table of {@link postgresStore}, for a migration.
 *
 * @throws {@link DefinitionError} when the name has other characters than letters, digits, underscores and one dot.
 */
export const postgresTable = (table: string = defaultTable): string => {
  assertTable("postgresTable", table);
  return `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  token text NOT NULL,
  fingerprint text NOT NULL,
  reply text,
  ends_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${table.replace(".", "_")}_ends_at ON ${table} (ends_at);`;
};

const end = (parameter: string): string =>
  `statement_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;

/** The options of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /**
   * The name of the service, which all its processes have, and no other service with the same table.
   *
   * @default the name in the package.json of the program
   */
  readonly name?: string | undefined;
  /**
   * The name of the table.
   *
   * @default idempotency_keys
   */
  readonly table?: string | undefined;
}

/**
 * Creates a store in PostgreSQL, in a table that {@link postgresTable} describes.
 *
 * @param pool connections of its own, with which renewals do not have to wait for transactions
 * @throws {@link DefinitionError} when an option is unknown or invalid, the service has no name, or that of the table has
 * other characters than letters, digits, underscores and one dot.
 */
export const postgresStore = (
  pool: PostgresPool,
  options: PostgresStoreOptions = {},
): IdempotencyStore => {
  checkOptions("postgresStore", options, optionChecks);
  const { table = defaultTable } = options;
  assertTable("postgresStore", table);
  const service = toServiceName("postgresStore", "name", options.name);
  const run = async (text: string, key: string, ...values: unknown[]): Promise<unknown> =>
    (await pool.query(text, [`${service}:${key}`, ...values])).rows[0];
  // one statement, which locks the row: of several claims at the same time, one sets its token
  const ifOver = (column: string): string =>
    `${column} = CASE WHEN k.ends_at <= statement_timestamp() THEN excluded.${column} ELSE k.${column} END`;
  const claimText = `INSERT INTO ${table} AS k (key, token, fingerprint, ends_at)
VALUES ($1, $2, $3, ${end("$4")})
ON CONFLICT (key) DO UPDATE SET ${["token", "fingerprint", "reply", "ends_at"].map(ifOver).join(", ")}
RETURNING token, fingerprint, reply`;
  const renewText = `WITH old AS (SELECT ends_at FROM ${table} WHERE key = $1 AND token = $2 AND reply IS NULL FOR UPDATE)
UPDATE ${table} SET ends_at = ${end("$3")} FROM old WHERE key = $1
RETURNING old.ends_at > statement_timestamp() AS "isInTime"`;
  // the row may be gone, if the lease has ended
  const keepText = `INSERT INTO ${table} AS k (key, token, fingerprint, ends_at, reply)
VALUES ($1, $2, $3, ${end("$4")}, $5)
ON CONFLICT (key) DO UPDATE SET ends_at = excluded.ends_at, reply = excluded.reply WHERE k.token = $2
RETURNING key`;
  let sweptAt = performance.now();
  return {
    claim: async ({ key, token, fingerprint }, lease) => {
      if (performance.now() - sweptAt >= sweepInterval) {
        sweptAt = performance.now();
        // a failure of this is met by the next statement, too
        const text = `DELETE FROM ${table} WHERE ends_at < statement_timestamp()`;
        pool.query(text).catch(() => undefined);
      }
      const row = (await run(claimText, key, token, fingerprint, lease)) as Row;
      if (row.token === token) return undefined;
      const reply = row.reply === null ? undefined : (JSON.parse(row.reply) as KeptReply);
      return { fingerprint: row.fingerprint, reply };
    },
    renew: async ({ key, token }, lease) => {
      const row = (await run(renewText, key, token, lease)) as { isInTime: boolean } | undefined;
      return row?.isInTime === true;
    },
    keep: async ({ key, token, fingerprint }, reply, ttl) =>
      (await run(keepText, key, token, fingerprint, ttl, JSON.stringify(reply))) !== undefined,
    release: async ({ key, token }) =>
      void (await run(`DELETE FROM ${table} WHERE key = $1 AND token = $2`, key, token)),
  };
};
