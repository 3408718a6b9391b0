import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Pool } from "pg";
import { onTestFinished } from "vitest";
import { ensureBuilt } from "./harness.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const server = "postgres://postgres@127.0.0.1:5432";

/** Checks whether a server listens. */
const hasServer = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

export const isPostgresUp: boolean = await hasServer(5432);
export const isRedisUp: boolean = await hasServer(6379);

/** Creates a database of its own for a test. */
export const createDatabase = async (): Promise<{ readonly url: string; readonly pool: Pool }> => {
  const name = `shop_${process.pid}_${Date.now()}`;
  const admin = new Pool({ connectionString: `${server}/postgres`, max: 1 });
  await admin.query(`CREATE DATABASE ${name}`);
  const pool = new Pool({ connectionString: `${server}/${name}`, max: 4 });
  // `end` does not wait until connections are closed, so dropping the database may cut them off
  pool.on("error", () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  return { url: `${server}/${name}`, pool };
};

export interface Shop {
  readonly url: string;
  /** Lets the shop finish, and ends it. */
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

/** Creates a folder that is deleted after the test. */
export const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const secret = randomBytes(32).toString("hex");

/** Starts the shop as a process, and waits until it is open. */
export const startShop = async (variables: Readonly<Record<string, string>>): Promise<Shop> => {
  ensureBuilt();
  const child = spawn(process.execPath, ["--import", "tsx", "example/src/main.ts"], {
    cwd: root,
    env: {
      ...process.env,
      ...{ NODE_OPTIONS: "", VITEST: "", NODE_ENV: "development", PORT: "0", PROXIES: "1" },
      ...{ DATA_FOLDER: createFolder(), LOG_LEVEL: "info", ADMIN_PASSWORD: secret },
      CANCEL_TIME: "0",
      ...{ SESSION_SECRET: secret, PAYMENT_SECRET: secret },
      ...variables,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    child.kill(signal);
    await exit;
  };
  const kill = () => end("SIGKILL");
  onTestFinished(kill);
  const url = await new Promise<string>((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const [found] = /http:\/\/localhost:\d+/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
    void exit.then(([code]: unknown[]) => reject(new Error(`The shop ended with ${String(code)}`)));
  });
  return { url, kill, stop: () => end("SIGTERM") };
};

/** Adds customers with tokens and full carts to a database; returns the tokens. */
export const addCustomers = async (
  pool: { query: (text: string, values: unknown[]) => Promise<{ readonly rows: unknown[] }> },
  count: number,
  cart: Readonly<Record<string, number>>,
): Promise<{ readonly id: string; readonly token: string }[]> => {
  const customers: { id: string; token: string }[] = [];
  for (let index = 0; index < count; index++) {
    const token = randomBytes(16).toString("hex");
    const hash = createHash("sha256").update(token).digest("hex");
    const { rows } = await pool.query(
      `WITH account AS (INSERT INTO accounts (email, name, role, password)
         VALUES ($1, 'Ada', 'customer', '') RETURNING id),
       credential AS (INSERT INTO credentials (account_id, kind, name, hash)
         SELECT id, 'token', 'test', $1 FROM account),
       items AS (INSERT INTO cart_items (account_id, book_id, quantity)
         SELECT account.id, key::uuid, value::int FROM account, jsonb_each_text($2::jsonb))
       SELECT id FROM account`,
      [hash, JSON.stringify(cart)],
    );
    customers.push({ id: (rows[0] as { readonly id: string }).id, token });
  }
  return customers;
};

/** Orders what is in the cart. */
export const order = (
  url: string,
  headers: Readonly<Record<string, string>>,
  key: string,
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${url}/v2/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key, ...headers },
    body: "{}",
    ...(signal && { signal }),
  });
