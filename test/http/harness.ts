import { once } from "node:events";
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type RequestListener,
} from "node:http";
import { connect, type AddressInfo, type Server as NetServer, type Socket } from "node:net";
import {
  createServer,
  RequestError,
  type Logger,
  type RequestErrorCode,
  type Routing,
  type RunningServer,
  type ServerConfig,
} from "sallyport";
import { expect, onTestFinished, vi } from "vitest";
import { sendingGrace, sendingLimit } from "../../src/serve/pipeline/answer.ts";
import { readAll } from "./replies.ts";

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
  /** Opens a socket, writes raw bytes, and returns everything received until the server closes the socket. */
  raw(bytes: string | Buffer): Promise<string>;
  /** Opens a socket to the server. */
  open(): Promise<Socket>;
  /** Resolves when the head of the next request has arrived. */
  untilRequest(): Promise<void>;
  /** Resolves when the server has no connection any more. */
  untilLeft(): Promise<void>;
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

/** Waits until a count has not changed for twenty turns of the event loop, and returns it. */
export const untilStill = async (read: () => number): Promise<number> => {
  let last = read();
  for (let turns = 0; turns < 20; turns++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (read() !== last) turns = 0;
    last = read();
  }
  return last;
};

/** Waits until a server has no connection any more. */
export const untilLeft = async (server: NetServer | undefined): Promise<void> => {
  const count = (): Promise<unknown> =>
    new Promise((resolve) => server?.getConnections((_error, number) => resolve(number)));
  await expect.poll(count).toBe(0);
  // the listeners for the end of a connection are called soon after it is no longer counted
  await new Promise((resolve) => setTimeout(resolve, 10));
};

/** Waits until a server logs a line with the given severity, and expects that nothing else is logged. */
export const expectOneLine = async (
  { lines }: TestServer,
  severity: Line["severity"],
): Promise<void> => {
  await expect.poll(() => lines).not.toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lines.map((line) => line.severity)).toEqual([severity]);
};

/** Until the test ends, stops the clock by which warnings are sampled. */
export const stopClock = (): void => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
};

/** Until the test ends, gives result handlers only 50 ms, and then another 50 ms, to send a response. */
export const shortenGrace = (): void => shortenTimers(sendingGrace, sendingLimit - sendingGrace);

/** Until the test ends, shortens timers of the given times to 50 ms. */
export const shortenTimers = (...times: readonly (number | undefined)[]): void => {
  const setOwnTimeout = globalThis.setTimeout;
  const toShorter = (run: () => void, milliseconds?: number): NodeJS.Timeout =>
    setOwnTimeout(run, times.includes(milliseconds) ? 50 : milliseconds);
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(toShorter);
  onTestFinished(() => spy.mockRestore());
};

/** Serves an application of the test's own, until the test ends; returns what sends requests to it. */
export const serve = async (app: RequestListener) => {
  const server = createHttpServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return (target: string, sent?: Sent) => send(port, target, sent);
};

/** Starts a server on a free port. The server is closed after the test. */
export const start = async (
  routing: Routing,
  config: Partial<ServerConfig> = {},
): Promise<TestServer> => {
  const { logger, lines } = createRecorder();
  const server = await createServer(
    {
      ...{ http: { listen: { port: 0, host: "127.0.0.1" } }, cors: false, logger },
      // on Bun, a line would tell that they are off
      shortcuts: process.versions["bun"] === undefined,
      ...config,
    },
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
    url: server.url,
    urls: server.urls,
    close: server.close,
    port,
    lines,
    linesOf: (severity) => lines.filter((line) => line.severity === severity),
    send: (target, sent) => send(port, target, sent),
    raw: (bytes) => raw(port, bytes),
    open: () => open(port),
    untilRequest: () =>
      new Promise((resolve) => server.servers[0]?.once("request", () => resolve())),
    untilLeft: () => untilLeft(server.servers[0]),
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

const raw = async (port: number, bytes: string | Buffer): Promise<string> => {
  const socket = await open(port);
  socket.write(bytes);
  return (await readAll(socket)).text;
};

/** Matches an error with a message and nothing else, but for the code that the framework gives to errors with it. */
export const errorEnvelope = (message: string): object => {
  const code = expect.toSatisfy((given: RequestErrorCode) =>
    message.startsWith(new RequestError(given).message),
  ) as unknown;
  return { status: "error", error: expect.toBeOneOf([{ message }, { message, code }]) };
};

/** Creates the envelope of a success. */
export const successEnvelope = (data: object): object => ({ status: "success", data });
