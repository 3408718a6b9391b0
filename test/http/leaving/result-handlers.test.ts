import { once } from "node:events";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { Response } from "express";
import { EndpointsFactory, ResultHandler } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start, type TestServer } from "../harness.ts";

const piece = Buffer.alloc(65_536, "x");
function* endless(): Generator<Buffer> {
  for (;;) yield piece;
}

const createFactory = (sendBody: (response: Response) => unknown) =>
  new EndpointsFactory(
    new ResultHandler({
      positive: z.unknown(),
      negative: z.unknown(),
      handler: ({ response }) => sendBody(response.type("text")),
    }),
  );

/** Reads the beginning of a response, disconnects, and returns the log once the server has noticed. */
const leave = async (server: TestServer): Promise<readonly string[]> => {
  const socket = await server.open();
  socket.write("GET /t HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "data");
  socket.destroy();
  const messages = (): readonly string[] =>
    server.lines
      .map(({ message }) => message)
      .filter((message) => !/^(?:Listening|GET: |Dropped)/.test(message));
  await expect.poll(messages).not.toEqual([]);
  return messages();
};

describe("while a result handler streams", () => {
  test.each<[string, (source: Readable, response: Response) => unknown]>([
    [
      "a client that leaves an awaited pipeline causes no server fault",
      (source, response) => pipeline(source, response),
    ],
    [
      "a client that leaves a pipe whose end is awaited causes no server fault",
      (source, response) => finished(source.pipe(response)),
    ],
  ])("%s", async (_what, sendBody) => {
    const source = Readable.from(endless());
    const factory = createFactory((response) => sendBody(source, response));
    const server = await start({ t: factory.build({ handler: () => ({}) }) });
    expect(await leave(server)).toEqual(["The client disconnected before the response was sent"]);
  });

  test("a stream that fails for another reason is still a server fault", async () => {
    const failing = Readable.from(
      (function* fail() {
        yield piece;
        throw new Error("the disk is gone");
      })(),
    );
    const factory = createFactory((response) => pipeline(failing, response));
    const server = await start({ t: factory.build({ handler: () => ({}) }) });
    await expect(server.send("/t")).rejects.toThrow("aborted");
    expect(server.linesOf("error").map(({ message }) => message)).toEqual(["Server fault"]);
  });
});
