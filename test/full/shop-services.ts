import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { onTestFinished } from "vitest";
import { findFreePort } from "../free-port.ts";
import { sleep } from "./harness.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const deploy = join(root, "example/deploy/nginx");

const findProgram = (name: string, folders: readonly string[] = []): string | undefined =>
  [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", ...folders]
    .map((folder) => join(folder, name))
    .find(existsSync);

const versions = "/usr/lib/postgresql";
const postgresFolders = existsSync(versions)
  ? readdirSync(versions).map((version) => join(versions, version, "bin"))
  : [];
const programs = {
  nginx: findProgram("nginx"),
  initdb: findProgram("initdb", postgresFolders),
  postgres: findProgram("postgres", postgresFolders),
  redis: findProgram("redis-server"),
};

/** Whether this machine lacks a program that the tests of the shop start. */
export const lacksServices = Object.values(programs).includes(undefined);

/** Creates a folder that is deleted after the test. */
export const createFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-shop-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** A server that can be stopped and started. */
export interface Service {
  readonly url: string;
  readonly start: () => Promise<void>;
  /** Ends the server as an administrator would, or suddenly. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
  readonly child: () => ChildProcess;
}

const createService = async (
  url: string,
  command: readonly string[],
  options: SpawnOptions,
  isReady: () => Promise<unknown>,
): Promise<Service> => {
  let child: ChildProcess | undefined;
  const service: Service = {
    url,
    start: async () => {
      const [program = "", ...args] = command;
      child = spawn(program, args, { stdio: "ignore", ...options });
      for (let isUp = false; !isUp; await sleep(50)) {
        if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
        isUp = await isReady().then(
          () => true,
          () => false,
        );
      }
    },
    stop: async (signal = "SIGINT") => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
    child: () => child as ChildProcess,
  };
  await service.start();
  onTestFinished(() => service.stop("SIGKILL"));
  return service;
};

/** Runs a query on a connection of its own. */
export const query = async <Row extends object>(url: string, text: string): Promise<Row[]> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Row>(text);
    return rows;
  } finally {
    await client.end();
  }
};

/** Starts a PostgreSQL of its own; as root, with the rights of the account postgres. */
export const startPostgres = async (): Promise<Service> => {
  const folder = await createFolder();
  const port = await findFreePort();
  let account: SpawnOptions = {};
  if (process.getuid?.() === 0) {
    const [uid = 0, gid = 0] = ["-u", "-g"].map((flag) =>
      Number(spawnSync("id", [flag, "postgres"]).stdout.toString()),
    );
    account = { uid, gid };
    await chown(folder, uid, gid);
  }
  const data = join(folder, "data");
  const flags = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
  const { status, stderr } = spawnSync(programs.initdb as string, flags, {
    ...account,
    cwd: folder,
  } as object);
  if (status !== 0) throw new Error(`initdb failed: ${String(stderr)}`);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const command = [programs.postgres as string, "-D", data, "-p", `${port}`, "-k", folder, "-F"];
  return createService(url, [...command, "-h", "127.0.0.1"], { ...account, cwd: folder }, () =>
    query(url, "SELECT 1"),
  );
};

/** Runs a command of Redis on a connection of its own. */
export const askRedis = (url: string, ...command: readonly string[]): string => {
  const { stdout } = spawnSync("redis-cli", ["-u", url, ...command]);
  return stdout.toString();
};

/** Starts a Redis of its own, which keeps nothing when it is stopped. */
export const startRedis = async (): Promise<Service> => {
  const port = await findFreePort();
  const url = `redis://127.0.0.1:${port}`;
  const command = [
    programs.redis as string,
    "--port",
    `${port}`,
    "--save",
    "",
    "--appendonly",
    "no",
  ];
  return createService(url, [...command, "--bind", "127.0.0.1"], { cwd: tmpdir() }, async () => {
    if (askRedis(url, "PING") !== "PONG\n") throw new Error("Redis is starting");
  });
};

/** A process of the shop. */
export interface Shop {
  readonly port: number;
  readonly child: ChildProcess;
  /** The lines that it has logged with the severity error. */
  readonly errors: () => readonly {
    readonly msg: string;
    readonly err?: { readonly message: string };
  }[];
  /** Resolves to the exit code, or to the signal that ended the process. */
  readonly ended: Promise<unknown>;
}

/** Starts the shop as it runs in production, on the built package. */
export const startShop = async (
  port: number,
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<Shop> => {
  const loader = join(root, "node_modules/tsx/dist/loader.mjs");
  const args = [
    "--disable-warning=SLP_WARN_RUNTIME",
    "--import",
    loader,
    join(root, "example/src/main.ts"),
  ];
  const env = {
    PATH: process.env["PATH"],
    NODE_ENV: "production",
    PORT: `${port}`,
    PROXIES: "1",
    LOG_LEVEL: "error",
    DATA_FOLDER: folder,
    SESSION_SECRET: "a secret for tests, which is long enough",
    PAYMENT_SECRET: "another secret for tests, long enough too",
    ADMIN_PASSWORD: "a password for tests",
    CANCEL_TIME: "0",
    ...variables,
  };
  // outside of the project, whose tsconfig.json points to the sources of the package
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, "close").then(([code, signal]: unknown[]) => code ?? signal);
  onTestFinished(() => void child.kill("SIGKILL"));
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null)
      throw new Error(`The shop ended with ${child.exitCode}: ${printed}`);
    await sleep(50);
  }
  const errors: Shop["errors"] = () =>
    printed
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { level: number; msg: string })
      .filter(({ level }) => level >= 50);
  return { port, child, errors, ended };
};

/** The proxy of the deployment. */
export interface Proxy {
  readonly port: number;
  /** Names the servers that get requests from now on. */
  readonly use: (ports: readonly number[]) => Promise<void>;
  readonly readErrors: () => Promise<string>;
}

/** Starts nginx with the configuration of the deployment; only the port and the places of files differ. */
export const startProxy = async (ports: readonly number[]): Promise<Proxy> => {
  const folder = await createFolder();
  const port = await findFreePort();
  const given = await readFile(join(deploy, "nginx.conf"), "utf8");
  const config = given
    .replaceAll("/tmp/", `${folder}/`)
    .replace("error_log stderr", `error_log ${folder}/error.log`)
    .replace("listen 8080;", `listen 127.0.0.1:${port};`);
  const file = join(folder, "nginx.conf");
  await writeFile(file, config);
  const name = (used: readonly number[]): Promise<void> =>
    writeFile(
      join(folder, "upstream.conf"),
      used.map((one) => `server 127.0.0.1:${one};\n`).join(""),
    );
  await name(ports);
  const args = ["-p", folder, "-c", file];
  const nginx = programs.nginx as string;
  const child = spawn(nginx, [...args, "-g", "daemon off;"], { stdio: "inherit" });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  });
  while (!(await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined))?.ok)
    await sleep(50);
  return {
    port,
    use: async (used) => {
      await name(used);
      spawnSync(nginx, [...args, "-s", "reload"]);
    },
    readErrors: () => readFile(join(folder, "error.log"), "utf8"),
  };
};
