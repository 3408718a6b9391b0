import { once } from "node:events";
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { expect, describe, test } from "vitest";

describe("what is relied on in Node", () => {
  test("a server makes requests and responses of the given classes", async () => {
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

  test("the last reply of a connection ends in the socket's destroySoon", async () => {
    const server = createServer((_request, response) => {
      response.setHeader("Connection", "close");
      response.end();
    });
    let calls = 0;
    server.on("connection", (socket) => {
      const original = socket.destroySoon.bind(socket);
      socket.destroySoon = () => {
        calls++;
        original();
      };
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.resume().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "close");
    expect(calls).toBe(1);
    server.close();
  });

  test("a stream that is piped into a response listens for `unpipe` on it", () => {
    const response = new ServerResponse(new IncomingMessage(null as never));
    expect(response.listenerCount("unpipe")).toBe(0);
    const stream = new PassThrough().pipe(response);
    expect(stream.listenerCount("unpipe")).toBe(1);
  });
});
