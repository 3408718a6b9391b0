import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecurely } from "node:tls";
import fc from "fast-check";
import { defaultEndpointsFactory as factory } from "sallyport";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { start } from "../http/harness.ts";
import { doAll, report, sleep, toCount } from "./harness.ts";

const count = toCount("TLS_CASES", 200);
const seed = toCount("TLS_SEED", 7);
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

let certificate: { key: string; cert: string };
beforeAll(() => {
  if (!hasOpenssl) return;
  const flags = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout - -out -";
  const pem = execFileSync("openssl", flags.split(" "), { stdio: ["ignore", "pipe", "ignore"] });
  const [key = "", cert = ""] = pem.toString().split(/(?=-----BEGIN CERTIFICATE)/);
  certificate = { key, cert };
});

const opened = new Set<Server>();
afterEach(() => {
  for (const server of opened) server.closeAllConnections();
  for (const server of opened) server.close();
  opened.clear();
});

const toHash = (bytes: Buffer): string => createHash("sha1").update(bytes).digest("hex");

/** A request in a case: how it is sent, and the response that it asks for. */
interface Planned {
  readonly size: number;
  readonly isChunked: boolean;
  /** Whether the body consists of requests, which reveals parsing that begins in the middle of a body. */
  readonly isBait: boolean;
  readonly reply: number;
  readonly delay: number;
}

/** The requests on a connection, the sizes of the client's writes, and its pauses between reads. */
interface Case {
  readonly requests: readonly Planned[];
  readonly writes: readonly number[];
  readonly pauses: readonly number[];
}

const sizeArbitrary = fc.oneof(
  fc.integer({ min: 0, max: 1000 }),
  fc.integer({ min: 1000, max: 150_000 }),
);
const caseArbitrary: fc.Arbitrary<Case> = fc.record({
  requests: fc.array(
    fc.record({
      size: sizeArbitrary,
      isChunked: fc.boolean(),
      isBait: fc.boolean(),
      reply: fc.constantFrom(100, 1000, 40_000, 300_000),
      delay: fc.constantFrom(0, 0, 0, 5),
    }),
    { minLength: 2, maxLength: 9 },
  ),
  writes: fc.array(fc.integer({ min: 1, max: 400_000 }), { minLength: 1, maxLength: 8 }),
  pauses: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }),
});

const bait = "\r\nGET /bait HTTP/1.1\r\nHost: x\r\n\r\n";

const toRequest = (planned: Planned, name: string, isLast: boolean): Buffer => {
  const { size, isChunked, isBait, reply, delay } = planned;
  const body = Buffer.alloc(size, isBait ? bait : `${name} and so on`);
  const head =
    `POST ${name} HTTP/1.1\r\nHost: x\r\nX-Reply: ${reply}\r\nX-Delay: ${delay}\r\nX-Hash: ${toHash(body)}\r\n` +
    (isLast ? "Connection: close\r\n" : "");
  if (!isChunked)
    return Buffer.concat([Buffer.from(`${head}Content-Length: ${size}\r\n\r\n`), body]);
  const chunks: Buffer[] = [];
  for (let at = 0; at < size; at += 7001) {
    const chunk = body.subarray(at, at + 7001);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat([
    Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`),
    ...chunks,
    Buffer.from("0\r\n\r\n"),
  ]);
};

/** Counts of errors by code, and of requests and bodies that a server saw although no client sent them. */
interface Sightings {
  readonly codes: Map<string, number>;
  /** The number of bodies that a handler received in full, but that differ from those sent. */
  corrupted: number;
  /** The number of requests that no client sent in this form. */
  invented: number;
}

/** Waits until a response accepts more data, or is closed. */
const drain = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });

/** Writes a response chunk by chunk, and waits for `drain` when necessary. */
const send = async (response: ServerResponse, text: string): Promise<void> => {
  response.setHeader("Content-Length", text.length);
  for (let at = 0; at < text.length && !response.destroyed; at += 20_000)
    if (!response.write(text.slice(at, at + 20_000))) await drain(response);
  response.end();
};

const answer = async (
  sightings: Sightings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { "x-hash": hash, "x-reply": reply, "x-delay": delay } = request.headers;
  if (hash === undefined) sightings.invented++;
  const parts: Buffer[] = [];
  request.on("error", () => undefined);
  request.on("data", (part: Buffer) => parts.push(part));
  await Promise.race([once(request, "end"), once(request, "close")]);
  if (!request.complete) return;
  const found = toHash(Buffer.concat(parts));
  if (hash !== undefined && found !== hash) sightings.corrupted++;
  if (Number(delay) > 0) await sleep(Number(delay));
  await send(response, `${request.url} ${found} `.padEnd(Number(reply ?? 0) + 80, "."));
};

type OnClientError = (error: NodeJS.ErrnoException, socket: Duplex) => void;

/** Destroys the socket, as Node does without a `clientError` listener. */
const cut: OnClientError = (_error, socket) => void socket.destroy();

/** Finishes the current response before sending a 400, as some servers do. */
const waitAndEnd = (): OnClientError => {
  const ending = new WeakSet<Duplex>();
  return (_error, socket) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    const running = (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
    const end = (): void =>
      void socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    if (running) running.once("close", end);
    else end();
  };
};

/** Adds the mitigation: decrypted data then reaches the parser through the readable stream, which a pause holds back. */
const readAsStream = (server: Server): Server =>
  server.on("secureConnection", (socket: Socket) => socket.on("data", () => undefined));

const listen = async (
  server: Server,
  onClientError: OnClientError,
): Promise<[number, Sightings]> => {
  const sightings: Sightings = { codes: new Map(), corrupted: 0, invented: 0 };
  opened.add(server);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    void answer(sightings, request, response).catch(() => undefined);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const code = error.code ?? "";
    sightings.codes.set(code, (sightings.codes.get(code) ?? 0) + 1);
    onClientError(error, socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return [(server.address() as AddressInfo).port, sightings];
};

const open = async (port: number, isSecure: boolean): Promise<Socket> => {
  const address = { port, host: "127.0.0.1" };
  const socket = isSecure
    ? connectSecurely({ ...address, rejectUnauthorized: false })
    : connect(address);
  socket.on("error", () => undefined);
  await once(socket, isSecure ? "secureConnect" : "connect");
  return socket;
};

/** Sends bytes in writes of the given sizes, reads with pauses, and returns everything that came back. */
const exchange = (
  socket: Socket,
  bytes: Buffer,
  writes: readonly number[],
  pauses: readonly number[],
): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    let reads = 0;
    const timer = setTimeout(() => socket.destroy(), 20_000);
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const pause = pauses[reads++ % pauses.length];
      if (pause === undefined || reads % 3 !== 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), pause);
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
    if (pauses.length > 0) {
      socket.pause();
      setTimeout(() => socket.resume(), 30);
    }
    for (let at = 0, write = 0; at < bytes.length; write++) {
      const size = writes[write % writes.length] ?? bytes.length;
      socket.write(bytes.subarray(at, at + size));
      at += size;
    }
  });

/** Checks whether exactly the expected responses arrived, in order. */
const isSound = (text: string, due: readonly { start: string; length: number }[]): boolean => {
  let at = 0;
  for (const { start: begin, length } of due) {
    const end = text.indexOf("\r\n\r\n", at) + 4;
    if (!text.startsWith("HTTP/1.1 200", at) || end < at + 4 || !text.startsWith(begin, end))
      return false;
    at = end + length;
  }
  return at === text.length;
};

const runCase = async (port: number, isSecure: boolean, planned: Case): Promise<boolean> => {
  const { requests, writes, pauses } = planned;
  const all = requests.map((one, at) => toRequest(one, `/${at}`, at === requests.length - 1));
  const due = requests.map(({ size, isBait, reply }, at) => ({
    start: `/${at} ${toHash(Buffer.alloc(size, isBait ? bait : `/${at} and so on`))} `,
    length: reply + 80,
  }));
  const text = await exchange(await open(port, isSecure), Buffer.concat(all), writes, pauses);
  return isSound(text, due);
};

/** Runs the cases, which are the same each time, and returns how many failed. */
const runCases = async (port: number, isSecure: boolean): Promise<number> => {
  const cases = fc.sample(caseArbitrary, { numRuns: count, seed });
  let unsound = 0;
  await doAll(cases.length, 4, async (at) => {
    const planned = cases[at];
    if (planned && !(await runCase(port, isSecure, planned))) unsound++;
  });
  return unsound;
};

const tell = (what: string, unsound: number, { codes, corrupted, invented }: Sightings): void =>
  report(
    `Node.js ${process.versions.node}, ${what}: ${unsound} of ${count} connections broken, ${corrupted} corrupted bodies, ` +
      `${invented} invented requests; ${JSON.stringify(Object.fromEntries(codes))}`,
  );

describe.runIf(hasOpenssl)(
  "bare Node.js: pipelined requests from a client that reads slowly",
  () => {
    it("over TCP all get their responses", async () => {
      const [port, sightings] = await listen(createServer(), cut);
      const unsound = await runCases(port, false);
      tell("TCP", unsound, sightings);
      expect([unsound, sightings.corrupted, sightings.invented]).toEqual([0, 0, 0]);
      expect(sightings.codes).toEqual(new Map());
    });

    it("over TLS fail, but only because connections are closed with HPE_PAUSED; no handler gets data that was not sent", async () => {
      const [port, sightings] = await listen(createSecureServer(certificate), cut);
      const unsound = await runCases(port, true);
      tell("TLS", unsound, sightings);
      expect([sightings.corrupted, sightings.invented]).toEqual([0, 0]);
      expect(unsound > 0).toBe(sightings.codes.has("HPE_PAUSED"));
      expect([...sightings.codes.keys()].filter((code) => !/^HPE_PAUSED$|^E/.test(code))).toEqual(
        [],
      );
    });

    it("over TLS also fail if a `clientError` listener leaves the socket open; handlers may then get data that was not sent", async () => {
      const [port, sightings] = await listen(createSecureServer(certificate), waitAndEnd());
      const unsound = await runCases(port, true);
      tell("TLS, socket left open", unsound, sightings);
      // how many handlers receive data that was not sent varies between versions and runs
      expect(unsound > 0).toBe(sightings.codes.has("HPE_PAUSED"));
    });

    it("over TLS with a `data` listener from the start, all get their responses", async () => {
      const [port, sightings] = await listen(readAsStream(createSecureServer(certificate)), cut);
      const unsound = await runCases(port, true);
      tell("TLS, with a `data` listener", unsound, sightings);
      expect([unsound, sightings.corrupted, sightings.invented]).toEqual([0, 0, 0]);
      expect(sightings.codes).toEqual(new Map());
    });
  },
);

describe.runIf(hasOpenssl)(
  "bare Node.js: a request of four TLS records while a large response is not read",
  () => {
    /** Leaves a large response unread while a request of four TLS records arrives. */
    const runSmallest = async (server: Server, isSecure: boolean): Promise<string[]> => {
      const [port, { codes }] = await listen(server, cut);
      const socket = await open(port, isSecure);
      const text = exchange(socket, Buffer.alloc(0), [], []);
      socket.pause();
      const first = { isChunked: false, isBait: false, delay: 0, size: 0, reply: 8 << 20 };
      socket.write(toRequest(first, "/large", false));
      await sleep(100);
      socket.write(toRequest({ ...first, size: 65_536, reply: 10 }, "/second", true));
      await sleep(200);
      socket.resume();
      const ends = (await text).includes("/second ") ? ["answered"] : ["cut"];
      return [...ends, ...codes.keys()].filter((word) => !word.startsWith("E"));
    };

    it("over TCP the second request gets a response", async () => {
      expect(await runSmallest(createServer(), false)).toEqual(["answered"]);
    });

    it("over TLS the connection is closed with HPE_PAUSED, unless this version of Node.js has the fix", async () => {
      const outcome = await runSmallest(createSecureServer(certificate), true);
      report(`Node.js ${process.versions.node}, the smallest case over TLS: ${outcome.join(", ")}`);
      expect([["answered"], ["cut", "HPE_PAUSED"]]).toContainEqual(outcome);
    });

    it("over TLS with a `data` listener from the start, the second request gets a response", async () => {
      const server = readAsStream(createSecureServer(certificate));
      expect(await runSmallest(server, true)).toEqual(["answered"]);
    });
  },
);

describe.runIf(hasOpenssl)("sallyport over TLS", () => {
  it(`${count} connections that pipeline requests and read slowly get every response in order`, async () => {
    const endpoint = factory.build({
      method: "post",
      input: z.object({ text: z.string() }),
      output: z.object({ hash: z.string() }),
      handler: ({ input }) => ({ hash: toHash(Buffer.from(input.text)) }),
    });
    const server = await start(
      { echo: endpoint },
      { http: undefined, https: { listen: { port: 0, host: "127.0.0.1" }, options: certificate } },
    );
    const port = server.port;
    const cases = fc.sample(caseArbitrary, { numRuns: count, seed });
    let unsound = 0;
    await doAll(cases.length, 4, async (at) => {
      const { requests = [], writes = [], pauses = [] } = cases[at] ?? {};
      const texts = requests.map(({ size, isBait }, index) =>
        (isBait ? bait : `${index} and so on `).repeat(size / 20),
      );
      const sent = texts.map((text, index) => {
        const body = Buffer.from(JSON.stringify({ text }));
        const close = index === texts.length - 1 ? "Connection: close\r\n" : "";
        const head = `POST /echo HTTP/1.1\r\nHost: x\r\n${close}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
        return Buffer.concat([Buffer.from(head), body]);
      });
      const due = texts.map((text) => {
        const start = JSON.stringify({
          status: "success",
          data: { hash: toHash(Buffer.from(text)) },
        });
        return { start, length: start.length };
      });
      const text = await exchange(await open(port, true), Buffer.concat(sent), writes, pauses);
      if (!isSound(text, due)) unsound++;
    });
    expect(unsound).toBe(0);
    expect(server.linesOf("warn")).toEqual([]);
  });
});
