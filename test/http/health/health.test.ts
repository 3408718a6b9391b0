import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import express from "express";
import { attachRouting, defaultEndpointsFactory as factory, type ServerConfig } from "sallyport";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createRecorder, send, start, stopClock } from "../harness.ts";

const ping = factory.build({ handler: () => ({}) });

/** The options of a server with the given checks. */
const withChecks = (
  checks: Exclude<ServerConfig["health"], boolean | undefined>["checks"],
): Partial<ServerConfig> => ({ health: { checks } });

const passing = () => undefined;
const failing = () => {
  throw new Error("password authentication failed");
};

describe("Health", () => {
  test("there are no such routes by default", async () => {
    const server = await start({ ping });
    expect([(await server.send("/livez")).status, (await server.send("/readyz")).status]).toEqual([
      404, 404,
    ]);
  });

  test.each(["/livez", "/readyz"])("%s says that the server is up, for no cache", async (path) => {
    const server = await start({ ping }, { health: true });
    const answer = await server.send(path);
    expect([answer.status, answer.json()]).toEqual([200, { status: "up" }]);
    expect(answer.headers).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/json; charset=utf-8",
    });
    const head = await server.send(path, { method: "HEAD" });
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", "15"]);
    expect((await server.send(path, { method: "POST" })).status).toBe(405);
  });

  test("has the paths of the options, and the CORS headers of the API", async () => {
    const health = { live: "/-/alive", ready: "/-/ready" };
    const server = await start({ ping }, { health, cors: true });
    for (const path of Object.values(health)) {
      const answer = await server.send(path);
      expect(answer.status).toBe(200);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    }
    expect((await server.send("/livez")).status).toBe(404);
  });

  test.each([
    ["degrades the server if it is not critical", {}, 200, "degraded"],
    ["takes the server out of service if it is critical", { critical: true }, 503, "down"],
  ])("a failing check %s", async (_name, options, status, state) => {
    const checks = { database: { check: failing, ...options }, queue: passing };
    const server = await start({ ping }, withChecks(checks));
    const answer = await server.send("/readyz");
    expect([answer.status, answer.json()]).toEqual([
      status,
      {
        status: state,
        checks: {
          database: { status: "down", milliseconds: expect.any(Number) as number },
          queue: { status: "up", milliseconds: expect.any(Number) as number },
        },
      },
    ]);
    expect((await server.send("/livez")).status).toBe(200);
  });

  test("a check that does not finish in time has failed, and its signal is aborted", async () => {
    let given: AbortSignal | undefined;
    const check = ({ signal }: { readonly signal: AbortSignal }) => {
      given = signal;
      return new Promise(() => undefined);
    };
    const checks = { database: { check, critical: true, timeout: 20 } };
    const server = await start({ ping }, { ...withChecks(checks), requestTimeout: 5 });
    const answer = await server.send("/readyz");
    expect([answer.status, answer.json()]).toMatchObject([503, { status: "down" }]);
    expect(given?.aborted).toBe(true);
    expect(server.linesOf("error")).toMatchObject([
      { meta: { error: new Error("The check did not finish within 20 milliseconds") } },
    ]);
  });

  test("a check that hangs is not called again until it has ended, and counts as failed", async () => {
    const ends: (() => void)[] = [];
    const check = () => new Promise<void>((resolve) => void ends.push(resolve));
    const checks = { database: { check, critical: true, timeout: 5, cache: 0 } };
    const server = await start({ ping }, withChecks(checks));
    const ask = async () => (await server.send("/readyz")).status;
    expect([await ask(), await ask(), await ask(), ends.length]).toEqual([503, 503, 503, 1]);
    ends[0]?.();
    await ask();
    expect(ends).toHaveLength(2);
  });

  test("requests share a running check, and its result until it is too old", async () => {
    stopClock();
    let finish = (): void => undefined;
    const check = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const server = await start({ ping }, withChecks({ database: { check, cache: 60_000 } }));
    const answers = [1, 2, 3].map(() => server.send("/readyz"));
    await expect.poll(() => check.mock.calls.length).toBe(1);
    // even if the result of a running check would be too old
    vi.advanceTimersByTime(60_000);
    await server.send("/livez");
    finish();
    for (const answer of answers) expect((await answer).status).toBe(200);
    expect(check).toHaveBeenCalledTimes(1);
    const next = server.send("/readyz");
    await expect.poll(() => check.mock.calls.length).toBe(2);
    finish();
    await next;
    vi.advanceTimersByTime(50_000);
    await server.send("/readyz");
    expect(check).toHaveBeenCalledTimes(2);
  });

  test("checks run side by side", async () => {
    let begun = 0;
    let finish = (): void => undefined;
    const both = new Promise<void>((resolve) => (finish = resolve));
    const check = (): Promise<void> => {
      if (++begun === 2) finish();
      return both;
    };
    const server = await start({ ping }, withChecks({ database: check, queue: check }));
    expect((await server.send("/readyz")).json()).toEqual({ status: "up" });
  });

  test("the error of a check is logged once for each change of its state, and never sent", async () => {
    let isUp = false;
    const check = () => (isUp ? passing() : failing());
    const server = await start({ ping }, withChecks({ database: { check, cache: 0 } }));
    const texts: string[] = [];
    for (const state of [false, false, true, true, false]) {
      isUp = state;
      texts.push((await server.send("/readyz")).text);
    }
    expect(texts.join("")).not.toContain("password");
    const meta = { milliseconds: expect.any(Number) as number };
    const error = new Error("password authentication failed");
    const failed = {
      severity: "warn",
      message: 'The health check "database" fails',
      meta: { ...meta, error },
    };
    const passed = {
      severity: "info",
      message: 'The health check "database" passes again',
      meta,
    };
    expect(server.lines.filter(({ message }) => message.includes("check"))).toEqual([
      failed,
      passed,
      failed,
    ]);
  });

  test.each([
    [{}, ["/ping"]],
    [{ accessLog: true }, ["/livez", "/readyz", "/ping"]],
  ])("with %j, the access log has %j", async (health, logged) => {
    const paths: string[] = [];
    const accessLogger = ({ path }: { readonly path: string }) => paths.push(path);
    const server = await start({ ping }, { health, accessLogger });
    for (const path of ["/livez", "/readyz", "/ping"]) await server.send(path);
    await expect.poll(() => paths).toEqual(logged);
  });

  test("an application of your own has the routes too", async () => {
    const app = express();
    const { logger } = createRecorder();
    attachRouting({ app, cors: false, logger, health: { checks: { failing } } }, { ping });
    const server = app.listen(0);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { readonly port: number };
    expect((await send(port, "/livez")).json()).toEqual({ status: "up" });
    expect((await send(port, "/readyz")).json()).toMatchObject({ status: "degraded" });
  });

  test("a server that is closing is not ready", async () => {
    const server = await start({ ping }, { health: true });
    const socket = await server.open();
    socket.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    await server.untilRequest();
    const text = once(socket, "data").then(([bytes]: unknown[]) => String(bytes));
    expect(await text).toContain('{"status":"up"}');
    socket.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    const last = once(socket, "data").then(([bytes]: unknown[]) => String(bytes));
    await Promise.all([server.close(), last]);
    expect(await last).toMatch(/^HTTP\/1.1 503 [^]*\{"status":"draining"\}$/);
  });

  test.each([
    [
      { live: "livez" },
      'The `health.live` option must be a path without parameters, such as /livez; got "livez".',
    ],
    [
      { ready: "/:any" },
      'The `health.ready` option must be a path without parameters, such as /livez; got "/:any".',
    ],
    [{ checks: [] }, "The `health.checks` option must be an object with checks by name; got []."],
    [
      { checks: { db: true } },
      "The `health.checks.db` option must be a function, or an object with check, critical, timeout, cache; got true.",
    ],
    [
      { checks: { db: {} } },
      "The `health.checks.db.check` option is missing; `health.checks.db` needs check.",
    ],
    [
      { checks: { db: { check: passing, timeout: 0 } } },
      "The `health.checks.db.timeout` option must be a positive number of milliseconds up to 2147483647; got 0.",
    ],
    [
      { checks: { db: { check: passing, cache: -1 } } },
      "The `health.checks.db.cache` option must be a number of milliseconds from 0 (at once) to 2147483647; got -1.",
    ],
    [
      { path: "/x" },
      "There is no option `health.path`. The options are health.live, health.ready, health.checks, health.accessLog, health.telemetry, health.access.",
    ],
  ])("refuses %j", async (health, message) => {
    const config = { health } as unknown as Partial<ServerConfig>;
    await expect(start({ ping }, config)).rejects.toThrow(message);
  });

  test("after the signal, a server with `drain` responds, but is not ready and ends connections", async () => {
    const program = fileURLToPath(new URL("../shutdown-program.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", program, "with a drain"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const ended = once(child, "close").then(([code]: unknown[]) => code);
    await expect.poll(() => printed).toContain("port ");
    const port = Number(/port (\d+)/.exec(printed)?.[1]);
    const ask = (path: string) => send(port, path, { headers: { connection: "keep-alive" } });
    const before = await ask("/readyz");
    expect([before.status, before.headers.connection]).toEqual([200, "keep-alive"]);
    child.kill("SIGTERM");
    await expect.poll(async () => (await ask("/readyz")).text).toBe('{"status":"draining"}');
    for (const [path, status] of [
      ["/readyz", 503],
      ["/livez", 200],
      ["/slow?ms=1", 200],
    ] as const) {
      const answer = await ask(path);
      expect([path, answer.status, answer.headers.connection]).toEqual([path, status, "close"]);
    }
    expect(await ended).toBe(0);
    expect(printed.trim().split("\n").slice(1)).toEqual(["running", "answered", "hook"]);
    await expect(ask("/livez")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
