import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Request, Response } from "express";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "../harness.ts";

const ok = factory.build({ handler: async () => ({}) });
const build = (send: (response: Response, request: Request) => unknown) =>
  factory.build({
    handler: ({ response, request }) => {
      send(response, request);
      return response;
    },
  });
const toLength = (length: number) =>
  factory.build({
    output: ez.stream("text/plain"),
    handler: async function* ({ response }) {
      response.set("Content-Length", String(length));
      yield "abc";
      yield "def";
    },
  });

/** Sends a request and a pipelined one, and returns everything that arrives before the connection ends. */
const exchange = async (endpoint: typeof ok, config = {}): Promise<string> => {
  const server = await start({ wrong: endpoint, ok }, config);
  const socket = await server.open();
  socket.write(
    "GET /wrong HTTP/1.1\r\nHost: a\r\n\r\nGET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  );
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
};
const countReplies = (text: string): number => text.split("HTTP/1.1 ").length - 1;

test.each([
  ["a longer body", "", build((response) => response.set("Content-Length", "3").end("abcdef"))],
  ["a shorter body", "", build((response) => response.set("Content-Length", "30").end("abcdef"))],
  [
    "a length that is no number",
    "",
    build((response) => response.set("Content-Length", "x").end("abcdef")),
  ],
  ["a longer stream", "abc", toLength(3)],
  ["a shorter stream", "abcdef", toLength(30)],
  [
    "a longer chunk",
    "",
    build((response) => (response.set("Content-Length", "3"), response.write("abcdef"))),
  ],
  [
    "a body behind a written head",
    "",
    build((response) => response.writeHead(200, { "Content-Length": "3" }).end("abcdef")),
  ],
  [
    "a longer piped file",
    "",
    build((response) => {
      response.set("Content-Length", "3");
      createReadStream(fileURLToPath(import.meta.url)).pipe(response);
    }),
  ],
])(
  "W29: the connection is closed after %s, whose length is not the Content-Length",
  async (_name, body, wrong) => {
    const text = await exchange(wrong).catch(() => "");
    expect(countReplies(text)).toBeLessThan(2);
    expect(text === "" || text.endsWith(`\r\n\r\n${body}`)).toBe(true);
  },
);

test("W29: a wrong Content-Length causes an error line with the path", async () => {
  const server = await start({ wrong: toLength(30), ok });
  await server.send("/wrong").catch(() => undefined);
  await expect.poll(() => server.linesOf("error")).toHaveLength(1);
  expect(JSON.stringify(server.linesOf("error"))).toContain("/wrong");
});

test.each([
  ["a stream", toLength(6), {}],
  [
    "several chunks",
    build((response) => {
      response.set("Content-Length", "6").write("abc");
      response.end("def");
    }),
    {},
  ],
  [
    "a chunk and a callback",
    build((response) => {
      response.set("Content-Length", "6").write("abc", "latin1");
      response.end("def", () => undefined);
    }),
    {},
  ],
  [
    "characters of several bytes",
    build((response) => {
      response.set("Content-Length", "6").write("äö");
      response.end("ü");
    }),
    {},
  ],
  [
    "a string in hex",
    build((response) => {
      response.set("Content-Length", "3").write("616263", "hex");
      response.end();
    }),
    {},
  ],
  ["a 304", build((response) => response.status(304).set("Content-Length", "6").end()), {}],
  ["Express", build((response) => response.send("abcdef")), {}],
  [
    "compression",
    build((response) => {
      response.set("Content-Length", "2000").type("text");
      response.write("x".repeat(1000));
      response.end("x".repeat(1000));
    }),
    { compression: true },
  ],
])("W29: the connection stays open after the right length of %s", async (_name, right, config) => {
  expect(countReplies(await exchange(right, config))).toBe(2);
});

test("announces the bytes of a JSON body, whatever its length and characters", async () => {
  const server = await start({
    "get /text/:character/:count": factory.build({
      input: z.object({ character: z.string(), count: z.coerce.number() }),
      output: z.object({ text: z.string() }),
      handler: async ({ input }) => ({ text: input.character.repeat(input.count) }),
    }),
  });
  for (const character of ["a", "é", "€", "😀"])
    for (const count of [1, 5461, 8000, 16_000, 16_384, 17_000]) {
      const answer = await server.send(`/text/${encodeURIComponent(character)}/${count}`);
      expect(answer.json()).toEqual(successEnvelope({ text: character.repeat(count) }));
      expect(answer.headers["content-length"]).toBe(String(Buffer.byteLength(answer.text)));
    }
});
