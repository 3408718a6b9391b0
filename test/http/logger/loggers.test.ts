import { readFile } from "node:fs/promises";
import { defaultEndpointsFactory as factory, type Logger } from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start, stopClock } from "../harness.ts";
import { createSink, loggers } from "./custom-loggers.ts";

const failing = factory.build({
  handler: () => {
    throw new Error("no connection", { cause: new Error("ECONNREFUSED by the database") });
  },
});

describe.each(Object.entries(loggers))("L1: under %s", (_name, create) => {
  test("a 500 is logged as one line with message, stack, cause, method, path and request id", async () => {
    const { lines, stream } = createSink();
    const server = await start(
      { failing },
      { logger: create(stream) as Logger, requestId: { header: "X-Trace" }, startupLogo: false },
    );
    const answer = await server.send("/failing", { headers: { "x-trace": "t-1" } });
    expect([answer.status, answer.headers["x-trace"]]).toEqual([500, "t-1"]);
    await expect.poll(() => lines.length).toBe(2);
    const [fault, access] = lines as [Record<string, unknown>, Record<string, unknown>];
    expect(fault).toMatchObject({ method: "GET", path: "/failing", requestId: "t-1" });
    expect(fault["msg"] ?? fault["message"]).toBe("Server fault");
    const text = JSON.stringify(fault);
    for (const part of ["no connection", "loggers.test.ts", "ECONNREFUSED by the database"])
      expect(text).toContain(part);
    expect(access).toMatchObject({ status: 500, requestId: "t-1" });
    expect(access["bytes"]).toBeGreaterThan(100);
  });
});

describe.each(Object.entries(loggers))("L2: what is written to %s", (_name, create) => {
  test("reaches it from a handler, a hook, a child, and as the parent of a request's logger", async () => {
    type Open = Logger & { tenant?: string; child: (fields: object) => Open };
    const seen: unknown[] = [];
    const write = (logger: Logger): Logger => {
      const open = logger as Open;
      open.tenant = "t";
      Object.defineProperty(open, "isMarked", { value: true });
      seen.push([open.tenant, "isMarked" in open]);
      return open;
    };
    const server = await start(
      {
        handler: factory.build({ handler: ({ logger }) => write(logger) && {} }),
        child: factory.build({ handler: ({ logger }) => write((logger as Open).child({})) && {} }),
      },
      {
        logger: create(createSink().stream) as Logger,
        ...{ startupLogo: false, requestId: true },
        beforeRouting: ({ getLogger }) => void write(getLogger()),
        childLoggerProvider: ({ parent }) => write(parent),
      },
    );
    for (const path of ["/handler", "/child"]) expect((await server.send(path)).status).toBe(200);
    expect(seen).toEqual(Array.from({ length: 5 }, () => ["t", true]));
    expect((server.logger as Open).tenant).toBe("t");
  });
});

/** Replaces the values that differ between runs. */
const mask = (line: string): string =>
  line
    .replace(/"(time|pid|hostname)":("[^"]*"|\d+)/g, '"$1":"…"')
    .replace(/(?:\\n +at [^"\\]*)+/g, "…")
    .replace(/\n +\.{3} \d+ lines matching[^\n]*/g, "")
    .replace(/(?:\n +at [^\n]*)+/g, " …")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…");

test("the guide shows the line of a 500 with each logger", async () => {
  const shown = new Map<string, string>();
  for (const name of ["pino", "winston", "bunyan"]) {
    const { lines, stream } = createSink();
    const server = await start(
      { users: failing },
      {
        logger: loggers[name]?.(stream) as Logger,
        requestId: { header: "X-Trace" },
        accessLogger: null,
      },
    );
    await server.send("/users", { headers: { "x-trace": "t-1" } });
    const find = () => lines.find((line) => (line["msg"] ?? line["message"]) === "Server fault");
    await expect.poll(find).toBeDefined();
    shown.set(name, mask(JSON.stringify(find())));
  }
  const written: string[] = [];
  const print = vi.spyOn(console, "log").mockImplementation((text: string) => {
    written.push(text);
  });
  const server = await start(
    { users: failing },
    { logger: { level: "error", color: false }, requestId: { header: "X-Trace" } },
  );
  await server.send("/users", { headers: { "x-trace": "t-1" } });
  print.mockRestore();
  // the layout of util.inspect differs between versions of Node
  shown.set("built-in", mask(written.join("")).replace(/\s+/g, " "));
  const page = await readFile("docs/logs.md", "utf8");
  const [, block] = /<!-- lines of a 500 -->\n+```text\n([^`]*)```/.exec(page) ?? [];
  expect(block).toBe([...shown].map(([name, line]) => `${name.padEnd(9)} ${line}\n`).join(""));
});

describe("a request id", () => {
  const idOf = factory.build({
    handler: ({ request }) => ({ id: request.id }),
  });

  test("is generated for each request, and sent back", async () => {
    const server = await start({ idOf }, { requestId: true });
    const [one, other] = [await server.send("/idOf"), await server.send("/idOf")];
    expect(one.headers["x-request-id"]).toMatch(/^[\da-f-]{36}$/);
    expect(one.json()).toMatchObject({ data: { id: one.headers["x-request-id"] } });
    expect(other.headers["x-request-id"]).not.toBe(one.headers["x-request-id"]);
  });

  test.each(["a b", "x".repeat(129), "", 'a"b', "<script>"])(
    "%j from a client is not accepted",
    async (given) => {
      const server = await start({ idOf }, { requestId: { header: "X-Request-Id" } });
      const answer = await server.send("/idOf", { headers: { "x-request-id": given } });
      expect(answer.headers["x-request-id"]).toMatch(/^[\da-f-]{36}$/);
    },
  );

  test("is set before childLoggerProvider runs, which also receives the response", async () => {
    const server = await start(
      { idOf },
      {
        requestId: true,
        childLoggerProvider: ({ request, response, parent }) => {
          response.setHeader("X-Seen", String(request.id));
          return parent.child({ tenant: "t" });
        },
      },
    );
    const answer = await server.send("/idOf");
    expect(answer.headers["x-seen"]).toBe(answer.headers["x-request-id"]);
    await expect.poll(() => server.linesOf("debug")).toHaveLength(1);
    expect(server.linesOf("debug")[0]?.meta).toMatchObject({
      ...{ tenant: "t", requestId: answer.headers["x-request-id"], status: 200 },
    });
  });
});

test("warnings are sampled even if each request has its own logger", async () => {
  stopClock();
  const act = factory.build({ method: "post", input: z.looseObject({}), handler: () => ({}) });
  const server = await start({ act }, { childLoggerProvider: ({ parent }) => ({ ...parent }) });
  const body = '{"__proto__":1}';
  const headers = { "content-type": "application/json" };
  for (let count = 0; count < 5; count++)
    expect((await server.send("/act", { method: "POST", headers, body })).status).toBe(400);
  expect(server.linesOf("warn")).toHaveLength(1);
});
