import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import {
  createServer,
  type Logger,
  type Routing,
  type RunningServer,
  type ServerConfig,
} from "sallyport";
import { expect, onTestFinished, vi } from "vitest";
import { sendingGrace, sendingLimit } from "../../src/pipeline/send-result.ts";

/** A logged line. */
export interface Line {
  readonly severity: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly meta: unknown;
}

/** Creates a logger that records its lines. */
export const createRecorder = (): { readonly logger: Logger; readonly lines: Line[] } => {
  const lines: Line[] = [];
  const write =
    (severity: Line["severity"]) =>
    (message: string, meta?: unknown): void => {
      lines.push({ severity, message, meta });
    };
  return {
    lines,
    logger: {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
    },
  };
};

/** A response whose body has been read. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Returns the body parsed as JSON. Throws if the body is not JSON. */
  json(): unknown;
}

/** The method, the header fields and the body of a request to send. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  /** Strings and bytes are sent unchanged, an object as JSON. */
  readonly body?: string | Buffer | object;
}

/** A server under test. */
export interface TestServer extends RunningServer {
  readonly port: number;
  /** The lines that the server logged, unless the test has provided its own logger. */
  readonly lines: Line[];
  /** Returns the logged lines with the given severity. */
  linesOf(severity: Line["severity"]): Line[];
  /** Sends a request with node:http, without normalising its target. */
  send(target: string, sent?: Sent): Promise<Answer>;
  /**
   * Opens a socket, writes raw bytes, and returns everything received until the server closes the
   * socket or the time is up.
   */
  raw(bytes: string | Buffer, milliseconds?: number): Promise<string>;
  /** Opens a socket to the server. */
  open(): Promise<Socket>;
}

const running = new Set<RunningServer>();
const faults: unknown[] = [];
process.on("unhandledRejection", (reason) => faults.push(reason));
process.on("uncaughtException", (error) => faults.push(error));

/**
 * Closes the servers of a test, and expects that no error was left unhandled. `setup.ts` calls this
 * function after each test.
 */
export const finish = async (): Promise<void> => {
  for (const { servers } of running)
    for (const server of servers) {
      server.closeAllConnections();
      if (server.listening) {
        server.close();
        await once(server, "close");
      }
    }
  running.clear();
  // whatever a test does, no promise may be left unhandled
  expect(faults.splice(0)).toEqual([]);
};

/** Waits until a count no longer changes, and returns it. */
export const untilStill = async (read: () => number): Promise<number> => {
  for (let last = read(); ; last = read()) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (read() === last) return last;
  }
};

/** Until the test ends, gives result handlers only 50 ms, and then another 50 ms, to send a response. */
export const shortenGrace = (): void => {
  const setOwnTimeout = globalThis.setTimeout;
  const graces = [sendingGrace, sendingLimit - sendingGrace];
  const toShorter = (run: () => void, milliseconds?: number): NodeJS.Timeout =>
    setOwnTimeout(run, graces.includes(milliseconds ?? 0) ? 50 : milliseconds);
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(toShorter);
  onTestFinished(() => spy.mockRestore());
};

/** Starts a server on a free port. The server is closed after the test. */
export const start = async (
  routing: Routing,
  config: Partial<ServerConfig> = {},
): Promise<TestServer> => {
  const { logger, lines } = createRecorder();
  const server = await createServer(
    { http: { listen: { port: 0, host: "127.0.0.1" } }, cors: false, logger, ...config },
    routing,
  );
  running.add(server);
  const address = server.servers[0]?.address();
  const { port } = address as AddressInfo;
  return {
    // reading `app` loads Express
    get app() {
      return server.app;
    },
    logger: server.logger,
    servers: server.servers,
    close: server.close,
    port,
    lines,
    linesOf: (severity) => lines.filter((line) => line.severity === severity),
    send: (target, sent) => send(port, target, sent),
    raw: (bytes, milliseconds) => raw(port, bytes, milliseconds),
    open: () => open(port),
  };
};

/** Sends a request to a local port. */
export const send = (
  port: number,
  target: string,
  { method = "GET", headers = {}, body }: Sent = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const isJson = typeof body === "object" && !Buffer.isBuffer(body);
    const payload = isJson ? JSON.stringify(body) : body;
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path: target,
        method,
        agent: false,
        headers: {
          ...(isJson ? { "content-type": "application/json" } : {}),
          ...(payload === undefined || "transfer-encoding" in headers
            ? {}
            : { "content-length": String(Buffer.byteLength(payload)) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: () => JSON.parse(text) as unknown,
          });
        });
      },
    );
    request.on("error", reject);
    request.end(payload);
  });

const open = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
};

const raw = async (port: number, bytes: string | Buffer, milliseconds = 300): Promise<string> => {
  const socket = await open(port);
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.write(bytes);
  await Promise.race([
    once(socket, "close"),
    new Promise((resolve) => setTimeout(resolve, milliseconds)),
  ]);
  socket.destroy();
  return text;
};

/** Creates the envelope of an error. */
export const errorEnvelope = (message: string): object => ({ status: "error", error: { message } });

/** Creates the envelope of a success. */
export const successEnvelope = (data: object): object => ({ status: "success", data });
