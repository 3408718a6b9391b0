import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { findFreePort } from "../free-port.ts";
import { send } from "../http/harness.ts";
import { parentId, traceId, traceparent } from "../http/opentelemetry/telemetry-sdk.ts";

vi.setConfig({ testTimeout: 90_000 });

const toPath = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface PrintedSpan {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number };
  readonly parent?: string;
  readonly traceId: string;
  readonly scope: string;
  readonly events: readonly string[];
}

/** Starts a server in a process of its own, as an ECMAScript module. */
const startProgram = async (instrumented: string, kind: string) => {
  const [metricsPort, port] = [await findFreePort(), await findFreePort()];
  const args = [String(metricsPort), instrumented, String(port), kind];
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=SLP_WARN_RUNTIME",
      ...["--import", "tsx", "--import", toPath("telemetry-sdk-program.mjs")],
      ...[toPath("telemetry-program.ts"), ...args],
    ],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NODE_ENV: "production" } },
  );
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, "close");
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  // on busy cores, the SDK takes seconds to load
  await expect.poll(() => printed, { timeout: 60_000 }).toContain("ready\n");
  return {
    port,
    metricsPort,
    getPrinted: () => printed,
    listSpans: () =>
      printed
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as PrintedSpan),
  };
};

describe.each([
  ["instrumented", "server", "@opentelemetry/instrumentation-http", ""],
  ["bare", "server", "sallyport", ""],
  ["instrumented", "attached", "@opentelemetry/instrumentation-http", "/api"],
  ["bare", "attached", "sallyport", "/api"],
])("%s %s", (instrumented, kind, scope, mount) => {
  test("one span and one metric for each request, with its route", async () => {
    const { port, metricsPort, listSpans, getPrinted } = await startProgram(instrumented, kind);
    const headers = { traceparent };
    for (const [path, status, more] of [
      ["/v1/users/7", 200, { headers }],
      ["/v1/fail", 500, {}],
      ["/unknown", 404, {}],
      ["/v1/users/7", 405, { method: "DELETE" }],
    ] as const)
      expect([path, (await send(port, mount + path, more)).status]).toEqual([path, status]);
    await expect.poll(() => listSpans().length).toBe(4);
    const spans = listSpans();
    expect(spans.map(({ name }) => name)).toEqual([
      `GET ${mount}/v1/users/:id`,
      `GET ${mount}/v1/fail`,
      "GET",
      "DELETE",
    ]);
    expect(spans[0]).toMatchObject({ traceId, parent: parentId });
    expect(getPrinted()).toMatch(new RegExp(`info: found \\{ trace_id: '${traceId}'`));
    expect(spans.map((span) => span.scope)).toEqual(Array(4).fill(scope));
    expect(spans.map(({ status }) => status.code)).toEqual([0, 2, 0, 0]);
    expect(spans.map(({ events }) => events)).toEqual([[], ["exception"], [], []]);
    const routes = [`${mount}/v1/users/:id`, `${mount}/v1/fail`, undefined, undefined];
    expect(spans.map(({ attributes }) => attributes["http.route"])).toEqual(routes);

    const { text } = await send(metricsPort, "/metrics");
    const counts = text
      .split("\n")
      .filter((line) => line.startsWith("http_server_request_duration_count{"))
      .map((line) => [
        /http_route="([^"]*)"/.exec(line)?.[1],
        /http_response_status_code="(\d+)"/.exec(line)?.[1],
        /error_type="([^"]*)"/.exec(line)?.[1],
        line.split(" ").at(-1),
      ]);
    expect(counts).toEqual([
      [`${mount}/v1/users/:id`, "200", undefined, "1"],
      [`${mount}/v1/fail`, "500", "500", "1"],
      [undefined, "404", undefined, "1"],
      [undefined, "405", undefined, "1"],
    ]);
    expect(text).toContain('le="0.075"');
    expect(text).not.toContain('le="25"');
  });
});

const nginx = "/usr/sbin/nginx";

describe.skipIf(!existsSync(nginx))("behind nginx, which begins the trace", () => {
  test.each([["instrumented"], ["bare"]])("%s", async (instrumented) => {
    const { port, listSpans } = await startProgram(instrumented, "server");
    const directory = await mkdtemp(join(tmpdir(), "sallyport-nginx-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const proxyPort = await findFreePort();
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${directory}/${name};`)
      .join(" ");
    await writeFile(
      join(directory, "nginx.conf"),
      `daemon off; master_process off; pid ${directory}/pid; error_log stderr error;
      events {}
      http {
        access_log off; ${temporary}
        server {
          listen 127.0.0.1:${proxyPort};
          location / {
            proxy_pass http://127.0.0.1:${port};
            proxy_set_header traceparent "00-$request_id-${parentId}-01";
            add_header x-trace $request_id;
          }
        }
      }`,
    );
    const child = spawn(nginx, ["-p", directory, "-c", join(directory, "nginx.conf")], {
      stdio: ["ignore", "inherit", "ignore"],
    });
    onTestFinished(async () => {
      if (child.exitCode === null && child.kill()) await once(child, "close");
    });
    const ask = () => send(proxyPort, "/v1/users/7").catch(() => undefined);
    let reply = await ask();
    await expect.poll(async () => (reply ??= await ask())?.status).toBe(200);
    await expect.poll(() => listSpans().length).toBe(1);
    expect(listSpans()[0]).toMatchObject({
      name: "GET /v1/users/:id",
      traceId: reply?.headers["x-trace"],
      parent: parentId,
    });
  });
});
