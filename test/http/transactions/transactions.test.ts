import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { Pool } from "pg";
import { defaultEndpointsFactory as factory, Middleware, type Routing } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start, type TestServer } from "../harness.ts";

type Query = (text: string, values?: unknown[]) => Promise<{ readonly rows: object[] }>;

/** A database with a single connection, on which nothing prevents queries after the end of a transaction. */
interface Database {
  readonly query: Query;
  readonly transaction: <T>(run: (query: Query) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** Runs a function in a transaction, as pools and ORMs do. */
const transact = async <T>(query: Query, run: (query: Query) => Promise<T>): Promise<T> => {
  await query("BEGIN");
  try {
    const result = await run(query);
    await query("COMMIT");
    return result;
  } catch (error) {
    await query("ROLLBACK");
    throw error;
  }
};

const openPglite = async (): Promise<Database> => {
  const db = await PGlite.create();
  const query: Query = (text, values) => db.query<object>(text, values);
  let free: Promise<unknown> = Promise.resolve();
  return {
    query,
    transaction: (run) => {
      const running = free.then(() => transact(query, run));
      free = running.catch(() => undefined);
      return running;
    },
    close: () => db.close(),
  };
};

const address = { host: "127.0.0.1", port: 5432, user: "postgres", database: "postgres" };

/** Opens a pool of one connection, with a schema that is deleted at the end. */
const openPostgres = async (): Promise<Database> => {
  const schema = `sallyport_${process.pid}_${Date.now()}`;
  const admin = new Pool({ ...address, max: 1 });
  await admin.query(`CREATE SCHEMA ${schema}`);
  const pool = new Pool({ ...address, max: 1, options: `-c search_path=${schema}` });
  return {
    query: (text, values) => pool.query<object>(text, values),
    transaction: async (run) => {
      const client = await pool.connect();
      try {
        return await transact((text, values) => client.query<object>(text, values), run);
      } finally {
        client.release();
      }
    },
    close: async () => {
      await pool.end();
      await admin.query(`DROP SCHEMA ${schema} CASCADE`);
      await admin.query(`DROP ROLE IF EXISTS ${toRole(schema)}`);
      await admin.end();
    },
  };
};

const toRole = (schema: string): string => `${schema}_tenant`;

/** Checks whether a PostgreSQL server listens. */
const hasPostgres = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(address.port, address.host);
    const settle = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once("connect", () => settle(true)).once("error", () => settle(false));
  });

/** Creates a table whose rows each tenant sees and writes only as its own. */
const createLedger = async ({ query }: Database): Promise<string> => {
  const { rows } = await query("SELECT current_schema() AS name");
  const role = toRole(String(Reflect.get(rows[0] as object, "name")));
  const steps = [
    "CREATE TABLE ledger (request text, tenant text, note text)",
    `CREATE ROLE ${role}`,
    `GRANT ALL ON ledger TO ${role}`,
    `GRANT USAGE ON SCHEMA ${role.replace(/_tenant$/, "")} TO ${role}`,
    "ALTER TABLE ledger ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY own ON ledger USING (tenant = current_setting('app.tenant'))",
  ];
  for (const step of steps) await query(step);
  return role;
};

/** Creates a routing whose handler writes two rows within a transaction of its tenant, with pauses. */
const createRouting = (database: Database, role: string, timeout?: number): Routing => {
  const input = z.object({ tenant: z.string(), request: z.string(), pause: z.coerce.number() });
  const inTransaction = new Middleware({
    afterValidation: true,
    input: input.pick({ tenant: true }),
    around: ({ input: { tenant } }, next) =>
      database.transaction(async (query) => {
        await query(`SET LOCAL ROLE ${role}`);
        await query("SELECT set_config('app.tenant', $1, true)", [tenant]);
        return next({ query });
      }),
  });
  const build = (limit?: number) =>
    factory.addMiddleware(inTransaction).build({
      method: "post",
      ...(limit !== undefined && { timeout: limit }),
      input,
      handler: async ({ input: { request, pause }, ctx: { query } }) => {
        const insert = "INSERT INTO ledger VALUES ($1, current_setting('app.tenant'), $2)";
        await query(insert, [request, "debit"]);
        await sleep(pause);
        await query(insert, [request, "credit"]);
        return {};
      },
    });
  return { transfer: build(timeout), patient: build() };
};

const requests = 200;
const tenants = ["a", "b", "c"] as const;

/** A deterministic source of numbers from 0 up to a limit. */
const createRandom = () => {
  let state = 42;
  return (limit: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % limit;
  };
};

/** Sends a request, and disconnects after a time, in milliseconds, unless that is undefined. */
const post = async (
  server: TestServer,
  path: string,
  body: object,
  leaveAfter?: number,
): Promise<void> => {
  const text = JSON.stringify(body);
  const socket = await server.open();
  socket.resume().on("error", () => undefined);
  const closed = once(socket, "close");
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  if (leaveAfter !== undefined) {
    await sleep(leaveAfter);
    socket.destroy();
  }
  await closed;
};

/** Sends all requests, a few at a time, and returns the rows once every handler has ended. */
const run = async (
  open: () => Promise<Database>,
  { timeout, isLeaving }: { readonly timeout?: number; readonly isLeaving: boolean },
) => {
  const database = await open();
  try {
    const role = await createLedger(database);
    const server = await start(createRouting(database, role, timeout));
    const random = createRandom();
    let next = 0;
    const send = async (): Promise<void> => {
      while (next < requests) {
        const request = next++;
        const tenant = tenants[request % tenants.length];
        const body = { request: String(request), tenant, pause: random(8) };
        // even on a busy machine, some requests succeed
        const isPatient = request % 10 === 0;
        const leaveAfter = isLeaving && !isPatient ? random(12) : undefined;
        await post(server, isPatient ? "/patient" : "/transfer", body, leaveAfter);
      }
    };
    await Promise.all(Array.from({ length: 4 }, send));
    await server.close();
    const { rows } = await database.query("SELECT * FROM ledger");
    return rows as { request: string; tenant: string; note: string }[];
  } finally {
    await database.close();
  }
};

const isPostgresUp = await hasPostgres();

describe.each<readonly [string, () => Promise<Database>, boolean]>([
  ["PGlite", openPglite, true],
  ["PostgreSQL at 127.0.0.1:5432, with a pool of one", openPostgres, isPostgresUp],
])("H22: transactions on %s", (_name, open, isUp) => {
  test.skipIf(!isUp).each([
    ["clients leave", { isLeaving: true }],
    ["time limits expire", { timeout: 12, isLeaving: false }],
  ])(
    "are whole or absent, and none writes in another's, although %s at random moments",
    { timeout: 60_000 },
    async (_what, how) => {
      const rows = await run(open, how);
      const notes = new Map<string, string[]>();
      for (const { request, tenant, note } of rows) {
        expect(tenant).toBe(tenants[Number(request) % tenants.length]);
        notes.set(request, [...(notes.get(request) ?? []), note]);
      }
      for (const written of notes.values()) expect(written).toEqual(["debit", "credit"]);
      expect(notes.size).toBeGreaterThanOrEqual(requests / 10);
    },
  );
});
