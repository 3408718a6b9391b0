import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { DocumentError, readDocument, toApiDescription } from "@sallyport/document";
import { ContractError } from "../../errors.ts";
import { toAnswer } from "./answer.ts";
import { toKey, type DocumentHandlers } from "./handler.ts";
import type { ListeningMock, ListenOptions, MockServer } from "../mock-server.ts";
import type { MockRequest, Reply } from "./request.ts";

/** What a mock of an OpenAPI document serves. */
export interface DocumentMockOptions {
  /** The path of an OpenAPI document of version 3.0, 3.1 or 3.2 in JSON or YAML, or the document itself. */
  readonly document: string | object;
  /**
   * What the generated values follow from, besides the operation and its input.
   *
   * @default 0
   */
  readonly seed?: number | string | undefined;
  /**
   * Handlers by method and path. What one returns replaces that part of the body.
   *
   * @example
   * handlers: { "get /users/{id}": ({ input }) => ({ name: `User ${input.id}` }) }
   */
  readonly handlers?: DocumentHandlers | undefined;
}

const readMock = ({ document, seed = 0, handlers = {} }: DocumentMockOptions) => {
  const api = readApi(document);
  const keys = Object.values(api.operations).map(toKey);
  const unknown = Object.keys(handlers).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new ContractError(
      `mock: \`handlers\` has "${unknown}", but the document has no such operation. Use a method and a path as in the document, such as "${keys[0] ?? "get /users/{id}"}".`,
    );
  return toAnswer({ api, handlers, seed: String(seed) });
};

const readApi = (document: string | object) => {
  try {
    return typeof document === "string"
      ? readDocument(document)
      : toApiDescription(document, "The document");
  } catch (error) {
    if (error instanceof DocumentError) throw new ContractError(error.message);
    throw error;
  }
};

/**
 * Serves an OpenAPI document within this process, with replies that it allows.
 *
 * @throws Error when the document cannot be used, or a handler has no operation.
 * @example
 * const { fetch } = mockDocument({ document: "openapi.yaml" });
 */
export const mockDocument = (options: DocumentMockOptions): MockServer => {
  const answer = readMock(options);
  return {
    fetch: async (input, init) => {
      const given = input instanceof Request ? input : new URL(input, "http://localhost");
      const request = new Request(given, init);
      const { pathname, search } = new URL(request.url);
      const { status, headers, body } = await answer({
        method: request.method,
        url: `${pathname}${search}`,
        headers: Object.fromEntries(request.headers),
        body: Buffer.from(await request.arrayBuffer()),
      });
      return new Response(hasBody(status) ? body : null, { status, headers });
    },
    close: () => Promise.resolve(),
  };
};

const hasBody = (status: number): boolean => ![204, 205, 304].includes(status);

/** Bodies are held in memory. */
const maxBody = 100 * 1024 * 1024;

const readRequest = async (request: IncomingMessage): Promise<MockRequest | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) return undefined;
    chunks.push(chunk);
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
  const { method = "GET", url = "/" } = request;
  // a proxy sends the whole URL
  return {
    method,
    url: url.replace(/^https?:\/\/[^/]*/i, "") || "/",
    headers,
    body: Buffer.concat(chunks),
  };
};

const tooLarge: Reply = { status: 413, headers: { connection: "close" } };

/**
 * Serves an OpenAPI document at a port of this machine, with replies that it allows.
 *
 * @throws Error when the document cannot be used, a handler has no operation, or the port is in use.
 */
export const listenDocument = async ({
  port = 4010,
  host = "127.0.0.1",
  ...options
}: DocumentMockOptions & ListenOptions): Promise<ListeningMock> => {
  const answer = readMock(options);
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const read = await readRequest(request);
      const { status, headers, body = "" } = read ? await answer(read) : tooLarge;
      const length = { "content-length": String(Buffer.byteLength(body)) };
      response.writeHead(status, { ...headers, ...(hasBody(status) && length) });
      response.end(hasBody(status) ? body : undefined);
    };
    respond().catch((error: unknown) => {
      // the client has left, or a handler has failed
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(error instanceof Error ? error.message : "The mock has failed.");
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  const own = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${own}`,
    close: async (): Promise<void> => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
