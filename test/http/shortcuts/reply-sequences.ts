import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough, pipeline, Readable } from "node:stream";
import type { Request, Response } from "express";
import fc from "fast-check";
import type { createServer, defaultEndpointsFactory } from "sallyport";
import { z } from "zod";

/** The entry of the package, or of a copy of it. */
export interface Entry {
  readonly createServer: typeof createServer;
  readonly defaultEndpointsFactory: typeof defaultEndpointsFactory;
}

const text = fc.oneof(
  { arbitrary: fc.constantFrom("a", "bc", "漢", "\n", ""), weight: 8 },
  // more than a stream buffers, and more than what is kept of a text
  { arbitrary: fc.constantFrom("x".repeat(20_000), "y".repeat(9000)), weight: 1 },
);
const pieces = fc.array(fc.constantFrom("p", "qr", "漢"), { maxLength: 4 });
const isBytes = fc.boolean();

const chunk = fc.oneof(
  { arbitrary: fc.record({ text, form: fc.constant("text" as const) }), weight: 4 },
  fc.record({ text, form: fc.constantFrom("bytes" as const, "encoded" as const) }),
);

/** What code does to a response, in one step. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ act: fc.constant("write" as const), chunk, isCalledBack: isBytes }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("end" as const), chunk }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("pipe" as const), pieces, isBytes }) },
  fc.record({ act: fc.constant("pipeline" as const), pieces, isBytes }),
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constantFrom("cork" as const, "uncork" as const, "flushHeaders" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constantFrom("onError" as const, "onceError" as const, "onDrain" as const),
    }),
  },
  fc.record({
    act: fc.constantFrom(
      "destroy" as const,
      "json" as const,
      "endEmpty" as const,
      "unpipe" as const,
    ),
  }),
  fc.record({ act: fc.constantFrom("trailers" as const, "length" as const, "writeHead" as const) }),
  // the next step comes later: in a microtask, after the current operation, or in the next turn of the event loop
  { weight: 5, arbitrary: fc.record({ act: fc.constantFrom("tick" as const, "turn" as const) }) },
);

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A response: its steps, the number of those that the handler waits for, and how the client asks. */
export const sequences = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  awaited: fc.nat(12),
  method: fc.constantFrom("GET", "GET", "GET", "POST", "HEAD"),
  /** Whether the handler has the body of a POST, which otherwise nobody reads. */
  readsBody: fc.boolean(),
  /** Whether a long text waits for a client that does not read, until all steps are taken. */
  isSlow: fc.nat(99).map((one) => one === 0),
});

export type Sequence = typeof sequences extends fc.Arbitrary<infer T> ? T : never;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Notes what becomes of a response, apart from its bytes. */
type Note = (event: string) => void;

const toCode = (error: unknown): string =>
  String((error as NodeJS.ErrnoException | null | undefined)?.code ?? error);

const take = (response: Response, one: Step, note: Note): unknown => {
  switch (one.act) {
    case "write":
    case "end": {
      const { form, text: given } = one.chunk;
      const args: unknown[] = [form === "bytes" ? Buffer.from(given) : given];
      if (form === "encoded") args.push("utf8");
      if (one.act === "write" && one.isCalledBack)
        args.push((error: unknown) => note(`written ${toCode(error)}`));
      return Reflect.apply(response[one.act], response, args);
    }
    case "pipe":
    case "pipeline": {
      const source = Readable.from(
        one.pieces.map((piece) => (one.isBytes ? Buffer.from(piece) : piece)),
        { objectMode: !one.isBytes },
      );
      if (one.act === "pipe") return source.pipe(response);
      return pipeline(source, new PassThrough(), response, (error) =>
        note(`pipeline ${toCode(error)}`),
      );
    }
    case "onError":
    case "onceError":
      return response[one.act === "onError" ? "on" : "once"]("error", (error) =>
        note(`error ${toCode(error)}`),
      );
    case "onDrain": {
      // the responses to HEAD emit it in each turn in which a producer goes on, which is a matter of timing
      let isPaced = false;
      return response.on("drain", () => {
        if (!isPaced) note("drain");
        isPaced = response.req.method === "HEAD";
      });
    }
    case "endEmpty":
      return response.end();
    case "json":
      return response.headersSent ? undefined : response.json({ a: 1 });
    case "unpipe":
      return response.emit("unpipe", new PassThrough());
    case "trailers":
      return response.addTrailers({ "X-A": "1" });
    case "length":
      return response.headersSent ? undefined : response.setHeader("Content-Length", 3);
    case "writeHead":
      return response.headersSent ? undefined : response.writeHead(201, { "X-B": "1" });
    case "tick":
      return new Promise<void>((resolve) => process.nextTick(resolve));
    case "turn":
      return turn();
    default:
      return response[one.act]();
  }
};

const play = async (response: Response, steps: readonly Step[], note: Note): Promise<void> => {
  for (const one of steps) {
    try {
      const waiting = take(response, one, note);
      if (waiting instanceof Promise) await waiting;
    } catch (error) {
      note(`thrown ${toCode(error)}`);
    }
  }
};

/** Longer than what a connection holds for a client that does not read. */
const longText = "z".repeat(8_000_000);

const after = '{"status":"success","data":{}}';

/** Returns what is wrong with the bytes of a connection: anything but whole replies, the last of which may be cut off. */
const findFault = (wire: string, method: string): string | undefined => {
  let rest = wire;
  for (let count = 0; rest !== ""; count++) {
    const [head] = /^HTTP\/1\.1 \d{3} [^]*?\r\n\r\n/.exec(rest) ?? [];
    if (head === undefined)
      return rest.startsWith("HTTP/1.1 ") ? undefined : "bytes outside of any reply";
    rest = rest.slice(head.length);
    if (count === 1) return rest === after ? undefined : "another second reply";
    if (method === "HEAD") continue;
    if (!/^Transfer-Encoding: chunked\r$/m.test(head)) {
      rest = rest.slice(Number(/^Content-Length: (\d+)\r$/m.exec(head)?.[1] ?? rest.length));
      continue;
    }
    for (let size = 1; size > 0;) {
      const [line] = /^[\da-f]+\r\n/.exec(rest) ?? [];
      if (line === undefined) return rest === "" ? undefined : "no chunk";
      size = Number.parseInt(line, 16);
      // trailers follow the last chunk
      const end = size > 0 ? line.length + size : rest.indexOf("\r\n\r\n") + 2;
      if (rest.length < end + 2) return undefined;
      if (rest.slice(end, end + 2) !== "\r\n") return "a wrong length of a chunk";
      rest = rest.slice(end + 2);
    }
  }
  return undefined;
};

/** Starts two servers that differ in `shortcuts` alone, to compare what they send. */
export const startPair = async ({
  createServer: create,
  defaultEndpointsFactory: factory,
}: Entry) => {
  const playing = new Map<string, { sequence: Sequence; note: Note; end: () => void }>();
  const run = async (id: string, response: Response): Promise<void> => {
    const { sequence, note, end } = playing.get(id) ?? {};
    if (!sequence || !note || !end) throw new Error("Nothing is played");
    const { steps, awaited, isSlow } = sequence;
    response.setMaxListeners(0);
    if (isSlow) response.write(longText);
    await play(response, steps.slice(0, awaited), note);
    const finish = async (): Promise<void> => {
      await play(response, steps.slice(awaited), note);
      await turn();
      await turn();
      // a client would wait for what nobody has ended
      response.end();
      await turn();
      end();
    };
    void finish();
  };
  const method = ["get", "post"] as const;
  const handler = ({ request, response }: { request: Request; response: Response }) =>
    run(String(request.headers["x-id"]), response);
  const routing = {
    play: factory.buildVoid({ method, handler }),
    read: factory.buildVoid({ method, input: z.object({ a: z.string().optional() }), handler }),
    "get /after": factory.build({ handler: () => ({}) }),
  };
  const ignore = (): void => undefined;
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const servers = await Promise.all(
    [true, false].map((shortcuts) =>
      create(
        {
          http: { listen: { port: 0, host: "127.0.0.1" } },
          ...{ cors: false, logger, gracefulShutdown: false, startupLogo: false, shortcuts },
        },
        routing,
      ),
    ),
  );
  let count = 0;

  /** Plays a sequence; returns the bytes of its connection, on which another request follows, and what happened. */
  const observe = async (index: number, sequence: Sequence): Promise<Observed> => {
    const { method, readsBody, isSlow } = sequence;
    const id = String(count++);
    const notes: string[] = [];
    let end = ignore;
    const played = new Promise<void>((resolve) => (end = resolve));
    playing.set(id, { sequence, note: (event) => void notes.push(event), end });
    const address = servers[index]?.servers[0]?.address();
    const socket = connect(Number(typeof address === "object" && address?.port), "127.0.0.1");
    socket.on("error", (error) => notes.push(`client ${toCode(error)}`));
    const bytes: Buffer[] = [];
    socket.on("data", (piece: Buffer) => bytes.push(piece));
    if (isSlow) socket.pause();
    const body = method === "POST" ? "a=b" : "";
    socket.write(
      `${method} /${readsBody ? "read" : "play"} HTTP/1.1\r\nHost: a\r\nX-Id: ${id}\r\n` +
        (body && `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n`) +
        `\r\n${body}GET /after HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    const closed = once(socket, "close");
    await played;
    socket.resume();
    await closed;
    playing.delete(id);
    const wire = Buffer.concat(bytes).toString("latin1");
    return { wire: wire.replaceAll(/^Date: .*$/gm, "Date"), notes, fault: findFault(wire, method) };
  };

  return {
    /** Plays a sequence on both servers; returns what is wrong, or undefined if both send the same whole replies. */
    findFault: async (sequence: Sequence): Promise<object | undefined> => {
      const [fast, plain] = await Promise.all([observe(0, sequence), observe(1, sequence)]);
      if (toText(fast) === toText(plain) && !fast.fault) return undefined;
      return { sequence, fast, plain };
    },
    close: () => Promise.all(servers.map((one) => one.close())),
  };
};

interface Observed {
  readonly wire: string;
  readonly notes: readonly string[];
  readonly fault: string | undefined;
}

/** The order of callbacks is no promise of Node. */
const toText = ({ wire, notes }: Observed): string => [wire, ...notes.toSorted()].join("\n");

/** Shortens long texts in what is printed of a fault. */
export const shorten = (fault: unknown): string =>
  JSON.stringify(fault, undefined, 1).replaceAll(/([xyz])\1{9,}/g, "$1…");
