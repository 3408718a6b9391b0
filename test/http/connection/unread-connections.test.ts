import { once } from "node:events";
import type { Socket } from "node:net";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { expect, onTestFinished, test, vi } from "vitest";
import { probeInterval } from "../../../src/front/server/connection/serve-in-order.ts";
import { shortenTimers, start } from "../harness.ts";
import { listStatuses } from "../replies.ts";

const head = (line: string): string => `${line} HTTP/1.1\r\nHost: a\r\n\r\n`;
const connecting = head("CONNECT a:1");

/** Starts a server with a handler that ends when its signal is aborted, or when the test says so. */
const startWait = async () => {
  const entered = vi.fn();
  const reasons: unknown[] = [];
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const wait = factory.build({
    handler: async ({ signal, response }) => {
      entered();
      const left = Promise.all([once(signal, "abort"), once(response, "close")]);
      void left.then(() => reasons.push(signal.reason));
      await Promise.race([opened, left]);
      return {};
    },
  });
  const server = await start({ wait });
  const accepted = once(server.servers[0] as object as Socket, "connection");
  const client = await server.open();
  onTestFinished(() => void client.destroy());
  const [socket] = (await accepted) as [Socket];
  const send = async (bytes: string): Promise<void> => {
    client.write(bytes);
    await expect.poll(() => entered.mock.calls.length).toBe(1);
  };
  return { server, client, socket, send, reasons, open: () => open() };
};

test.each<readonly [string, string, string]>([
  ["W14", "CONNECT", connecting],
  ["W14", "17 requests and CONNECT", head("GET /wait").repeat(17) + connecting],
  ["W2", "garbage", "garbage\r\n\r\n"],
  ["W26", "a request", head("GET /wait")],
  ["W26", "20 requests", head("GET /wait").repeat(20)],
])(
  "%s: it is noticed that a client leaves after it has sent %s behind a request",
  async (...row) => {
    shortenTimers(probeInterval);
    const { server, client, send, reasons } = await startWait();
    await send(head("GET /wait") + row[2]);
    client.end();
    await expect.poll(() => reasons).toMatchObject([{ code: "ABORT_ERR" }]);
    await server.untilLeft();
  },
);

test("W23: a client that sends CONNECT behind a request and reads too slowly is dropped", async () => {
  const ended = vi.fn();
  const piece = Buffer.alloc(65_536);
  const big = factory.build({
    output: ez.stream("text/plain"),
    handler: () =>
      (async function* produce() {
        try {
          for (;;) yield piece;
        } finally {
          ended();
        }
      })(),
  });
  const server = await start({ big }, { responseIdleTimeout: 100 });
  const client = await server.open();
  onTestFinished(() => void client.destroy());
  client.pause().write(head("GET /big") + connecting);
  await expect.poll(() => ended.mock.calls.length).toBe(1);
  await server.untilLeft();
});

test("W14: a client that goes on sending after CONNECT is cut off", async () => {
  const { client, socket, send, reasons } = await startWait();
  await send(head("GET /wait") + connecting);
  client.write(Buffer.alloc(4_000_000));
  await expect.poll(() => reasons).toMatchObject([{ code: "ABORT_ERR" }]);
  expect(socket.bytesRead).toBeLessThan(1_000_000);
});

test("W26: all of 200 requests behind one that takes long get their responses", async () => {
  shortenTimers(probeInterval);
  const { client, socket, send, open } = await startWait();
  const resume = vi.spyOn(socket, "resume");
  let text = "";
  client.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  await send(head("GET /wait").repeat(200));
  await expect.poll(() => resume.mock.calls.length).toBeGreaterThan(5);
  client.write(head("GET /wait").repeat(200) + head("GET /none"));
  const { bytesRead } = socket;
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(bytesRead);
  open();
  await expect.poll(() => listStatuses(text)).toEqual([...Array<number>(400).fill(200), 404]);
});

test.each(["", ", even where a connection counts no bytes, as on Bun"])(
  "W20: a client that floods the queue behind a request that takes long is cut off%s",
  async (place) => {
    shortenTimers(probeInterval);
    const { socket, send, reasons } = await startWait();
    if (place) Object.defineProperty(socket, "bytesRead", { value: 0 });
    await send(head("GET /wait").repeat(100_000));
    await expect.poll(() => reasons, { timeout: 8000 }).toMatchObject([{ code: "ABORT_ERR" }]);
    expect(socket.bytesRead).toBeLessThan(1_000_000);
  },
);

test("B19: a client that leaves within a request gets no reply, even where its connection is still readable, as on Bun", async () => {
  const { server, client, socket, send } = await startWait();
  await send(head("GET /wait"));
  const left = once(client.resume(), "close");
  const error = Object.assign(new Error("Parse Error"), { code: "HPE_INVALID_EOF_STATE" });
  server.servers[0]?.emit("clientError", error, socket);
  await left;
  expect([client.bytesRead, server.linesOf("warn")]).toEqual([0, []]);
});
