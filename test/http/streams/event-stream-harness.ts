import { setTimeout as sleep } from "node:timers/promises";
import {
  EventStreamFactory,
  type EventStream,
  type EventStreamOptions,
  type ServerConfig,
} from "sallyport";
import { z } from "zod";
import { start, type TestServer } from "../harness.ts";

export const events = {
  time: z.number(),
  note: z.object({ text: z.string() }),
  big: z.string(),
  date: z.date().transform((date) => date.toISOString()),
  late: z.string().refine(async (text) => (await sleep(5, text)) !== "bad"),
  whatever: z.unknown(),
};
export type Stream = EventStream<typeof events>;
export type Run = (stream: Stream) => unknown;

/** Starts a server whose `/run` calls the given function with its event stream. */
export const startRun = async (
  run: Run,
  options: EventStreamOptions = {},
  config: Partial<ServerConfig> = {},
): Promise<TestServer> => {
  const factory = new EventStreamFactory(events, options);
  const endpoint = factory.build({ handler: ({ ctx }) => run(ctx) });
  const server = await start({ run: endpoint }, { accessLogger: null, ...config });
  server.lines.length = 0;
  return server;
};

/** Returns the error that a function throws or rejects with. */
export const fail = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return undefined;
};

/** The text of a GET request for `/run`. */
export const getRun = "GET /run HTTP/1.1\r\nHost: a\r\n\r\n";
