import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Request, Response } from "express";
import { defaultEndpointsFactory } from "sallyport";
import type { TestServer } from "../harness.ts";

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["br", () => createBrotliDecompress()],
  ["gzip", () => createGunzip()],
  ["deflate", () => createInflate()],
]);

/** The encodings of compressed responses. */
export const encodings = [...decoders.keys()];

const toDecoder = (encoding: string): Transform => {
  const create = decoders.get(encoding);
  if (!create) throw new Error(`The encoding ${encoding} is unknown`);
  return create();
};

/** Reads a stream to its end. */
export const readAll = async (stream: AsyncIterable<unknown>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** A response with its received bytes and decoded text. */
export interface EncodedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

/** The options for a request. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/**
 * Requests a path, with an Accept-Encoding field unless it is empty, and returns the unread
 * response.
 */
export const open = async (
  { port }: TestServer,
  path: string,
  accepted: string,
  { method = "GET", headers = {} }: Asked = {},
) => {
  const request = httpRequest({
    ...{ host: "127.0.0.1", port, path, method, agent: false },
    headers: { ...(accepted !== "" && { "accept-encoding": accepted }), ...headers },
  });
  request.on("error", () => undefined).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { request, response };
};

/**
 * Requests a path, checks that the response has the given encoding, and returns the response with a
 * decoder.
 */
export const openEncoded = async (server: TestServer, path: string, encoding: string) => {
  const { request, response } = await open(server, path, encoding);
  const { "content-encoding": sent = "none" } = response.headers;
  if (sent !== encoding) throw new Error(`Expected ${encoding}, got ${sent}`);
  return { request, response, decoder: toDecoder(encoding) };
};

/** Requests a path and reads the response. */
export const ask = async (
  server: TestServer,
  path: string,
  accepted = "gzip",
  asked: Asked = {},
): Promise<EncodedAnswer> => {
  const { response } = await open(server, path, accepted, asked);
  const bytes = await readAll(response);
  const { statusCode: status = 0, headers } = response;
  const encoding = asked.method === "HEAD" ? undefined : headers["content-encoding"];
  const decoded = encoding === undefined ? bytes : await readAll(toDecoder(encoding).end(bytes));
  return { status, headers, bytes, text: decoded.toString() };
};

/** Creates an endpoint that sends the response itself. */
export const send = (
  handler: (response: Response & { flush(): void }, request: Request) => unknown,
) =>
  defaultEndpointsFactory.buildVoid({
    handler: async ({ response, request }) => {
      await handler(response as Response & { flush(): void }, request);
    },
  });

/** A string worth compressing. */
export const long = "All work and no play makes Jack a dull boy. ".repeat(100);
