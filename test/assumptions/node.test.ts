import { once } from "node:events";
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { expect, describe, test } from "vitest";

describe("assumptions about Node.js", () => {
  test("a server creates requests and responses of the given classes", async () => {
    class Request extends IncomingMessage {}
    class Response extends ServerResponse {}
    const server = createServer({ IncomingMessage: Request, ServerResponse: Response });
    const seen = once(server, "request");
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const [request, response] = (await seen) as [IncomingMessage, ServerResponse];
    expect(request).toBeInstanceOf(Request);
    expect(response).toBeInstanceOf(Response);
    socket.destroy();
    server.close();
  });

  test("a pipelined response has the connection once the response before it has closed", async () => {
    const seen: unknown[] = [];
    const responses: ServerResponse[] = [];
    const server = createServer((_request, response) => {
      const previous = responses.at(-1);
      responses.push(response);
      previous?.once("close", () => seen.push(previous.socket, response.socket !== null));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.resume().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2));
    await expect.poll(() => responses.length).toBe(2);
    expect(responses[1]?.socket).toBeNull();
    responses[0]?.end();
    await expect.poll(() => seen).toEqual([null, true]);
    socket.destroy();
    server.close();
  });

  test.each([false, true])(
    "the parser accepts only visible ASCII in request targets (insecureHTTPParser: %s)",
    async (insecureHTTPParser) => {
      const seen: number[] = [];
      const server = createServer({ insecureHTTPParser }, ({ url = "" }, response) => {
        // a space ends the target
        if (url.length === 2) seen.push(url.charCodeAt(1));
        response.end();
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const bytes = Array.from({ length: 256 }, (_, byte) => byte);
      await Promise.all(
        bytes.map(async (byte) => {
          const socket = connect(port, "127.0.0.1");
          const head = Buffer.from("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
          head[5] = byte;
          socket.on("error", () => undefined).resume();
          socket.end(head);
          await once(socket, "close");
        }),
      );
      server.close();
      expect(seen.toSorted((one, other) => one - other)).toEqual(bytes.slice(0x21, 0x7f));
    },
  );

  test("a pipelined response gets the socket, and emits `socket`, once the previous response is finished", async () => {
    const seen: string[] = [];
    class Response extends ServerResponse {
      override assignSocket(socket: Socket): void {
        super.assignSocket(socket);
        seen.push(`assigned ${this.req.url}`);
      }
      override detachSocket(socket: Socket): void {
        super.detachSocket(socket);
        seen.push(`detached ${this.req.url}`);
      }
    }
    const server = createServer({ ServerResponse: Response }, (request, response) => {
      const answer = (): void => void response.end();
      seen.push(`${response.socket ? "runs" : "waits"} ${request.url}`);
      if (response.socket) setImmediate(answer);
      else response.once("socket", answer);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const close = "Connection: close\r\n";
    socket
      .resume()
      .write(`GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n${close}\r\n`);
    await once(socket, "close");
    server.close();
    expect(seen).toEqual([
      ...["assigned /1", "runs /1", "waits /2", "detached /1", "assigned /2", "detached /2"],
    ]);
  });

  test("data that arrives in the same chunk as an unhandled upgrade request is dropped", async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.url);
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const upgrade = "Connection: Upgrade\r\nUpgrade: h2c\r\n";
    socket.write(`GET /1 HTTP/1.1\r\nHost: x\r\n${upgrade}\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, "data");
    socket.resume().write("GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await once(socket, "close");
    server.close();
    expect(seen).toEqual(["/1", "/3"]);
  });
});
