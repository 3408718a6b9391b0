import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { findFreePort } from "../free-port.ts";
import { ensureBuilt, report, sleep, startProgram, toCount, type Program } from "./harness.ts";

const seconds = toCount("SALLYPORT_ROLLING_SECONDS", 60);
const clientCount = 20;
const nginx = ["nginx", "/usr/sbin/nginx"].find(
  (command) => spawnSync(command, ["-v"]).error === undefined,
);

beforeAll(ensureBuilt);

/** Writes the configuration of a proxy for the servers that are ready. */
const toNginxConfig = (folder: string, port: number, ready: readonly number[]): string => `
daemon off;
error_log ${folder}/error.log warn;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream api {
    ${ready.map((one) => `server 127.0.0.1:${one};`).join(" ")}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_pass http://api;
    }
  }
}
`;

interface Reply {
  readonly status: number | string;
  readonly text: string;
}

const ask = (agent: Agent, port: number, path: string, body?: string): Promise<Reply> =>
  new Promise((resolve) => {
    const fail = ({ code, message }: NodeJS.ErrnoException): void =>
      resolve({ status: code ?? message, text: "" });
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const method = body === undefined ? "GET" : "POST";
    httpRequest({ host: "127.0.0.1", port, path, method, agent, headers }, (response) => {
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("error", fail);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .on("error", fail)
      .end(body);
  });

test.skipIf(nginx === undefined)(
  "restarts two servers behind nginx, in turn and under load, without a failed request",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sallyport-rolling-"));
    const [proxyPort, ...ports] = [
      await findFreePort(),
      await findFreePort(),
      await findFreePort(),
    ];
    const start = (port: number): Promise<Program> =>
      startProgram("rolling-restart-program.mjs", [String(port)], (seconds + 60) * 1000);
    const programs = await Promise.all(ports.map(start));
    const configFile = join(folder, "nginx.conf");
    const alone = new Agent({ keepAlive: false });
    /** Does what a load balancer does: sends requests only to servers that are ready. */
    const watch = async (index: number): Promise<string> => {
      const { status, text } = await ask(alone, ports[index] as number, "/readyz");
      const isReady = status === 200;
      if (isReady !== ready.has(index)) {
        if (isReady) ready.add(index);
        else ready.delete(index);
        await reload();
      }
      return text;
    };
    const ready = new Set(ports.keys());
    const writeConfig = (): Promise<void> =>
      writeFile(
        configFile,
        toNginxConfig(
          folder,
          proxyPort,
          ports.filter((_, index) => ready.has(index)),
        ),
      );
    const reload = async (): Promise<void> => {
      await writeConfig();
      spawnSync(nginx as string, ["-p", folder, "-c", configFile, "-s", "reload"]);
    };
    await writeConfig();
    const proxy = spawn(nginx as string, ["-p", folder, "-c", configFile], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    const state = { isOver: false, requests: 0, restarts: 0 };
    const failures: unknown[] = [];
    while ((await ask(alone, proxyPort, "/livez")).status !== 200) await sleep(50);

    const runClient = async (name: number): Promise<void> => {
      // a proxy that reads its configuration again closes the connections that its clients keep
      const agent = new Agent({ keepAlive: false });
      for (let number = 0; !state.isOver; number++) {
        const id = `${name}-${number}`;
        const isPost = number % 2 === 1;
        const reply = await ask(
          agent,
          proxyPort,
          isPost ? "/work" : `/work?id=${id}`,
          isPost ? JSON.stringify({ id }) : undefined,
        );
        state.requests++;
        const expected = `{"status":"success","data":{"id":"${id}"}}`;
        if (reply.status !== 200 || reply.text !== expected) failures.push({ id, ...reply });
      }
      agent.destroy();
    };
    const clients = Array.from({ length: clientCount }, (_, name) => runClient(name));

    const until = performance.now() + seconds * 1000;
    const exits: unknown[] = [];
    const readiness: string[] = [];
    for (let index = 0; performance.now() < until; index = 1 - index) {
      const { child, ended } = programs[index] as Program;
      child.kill("SIGTERM");
      await sleep(100);
      readiness.push(await watch(index));
      exits.push(await ended);
      programs[index] = await start(ports[index] as number);
      await watch(index);
      state.restarts++;
      await sleep(1000);
    }
    state.isOver = true;
    await Promise.all(clients);
    for (const { child } of programs) child.kill("SIGKILL");
    proxy.kill("SIGTERM");
    await once(proxy, "close");
    report(await readFile(join(folder, "error.log"), "utf8"));
    await rm(folder, { recursive: true });
    report(
      `rolling restart: ${state.requests} requests, ${state.restarts} restarts, ${failures.length} failures`,
    );

    expect(failures.slice(0, 10)).toEqual([]);
    expect(new Set(exits)).toEqual(new Set([0]));
    expect(new Set(readiness)).toEqual(new Set(['{"status":"draining"}']));
    expect(state.restarts).toBeGreaterThan(1);
  },
  (seconds + 120) * 1000,
);
