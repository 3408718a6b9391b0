// Packages that use the server itself rather than requests.
import assert from "node:assert/strict";
import { once } from "node:events";
import expressWs from "express-ws";
import { Server } from "socket.io";
import { io } from "socket.io-client";
import { WebSocket, WebSocketServer } from "ws";

const notIn = { factory: "The package needs a server, such as `servers[0]`, not an endpoint." };

const refuseFactory = (place) => {
  if (place === "factory") throw new Error(notIn.factory);
};

const toSocketUrl = (url, path) => url.replace("http:", "ws:") + path;

const provesEcho = async (url) => {
  const socket = new WebSocket(url);
  await once(socket, "open");
  socket.send("hello");
  const [message] = await once(socket, "message");
  assert.equal(String(message), "echo: hello");
  const closed = once(socket, "close");
  socket.close();
  await closed;
};

export const entries = [
  {
    name: "socket.io",
    packages: ["socket.io", "socket.io-client"],
    effect: "acknowledges an event over polling and over WebSocket, alongside the API",
    notIn,
    create: (place) => {
      refuseFactory(place);
      return {
        handler: () => ({ a: 1 }),
        prove: async ({ send, url }, { server }) => {
          const sockets = new Server(server);
          sockets.on("connection", (socket) => {
            socket.on("say", (text, answer) => answer(`echo: ${text}`));
          });
          for (const transports of [["polling"], ["websocket"]]) {
            const client = io(url, { transports, reconnection: false });
            assert.equal(await client.timeout(5000).emitWithAck("say", "hello"), "echo: hello");
            assert.equal(client.io.engine.transport.name, transports[0]);
            client.disconnect();
          }
          assert.deepEqual((await send("/t")).data, { a: 1 });
          sockets.disconnectSockets(true);
          sockets.engine.close();
        },
      };
    },
  },
  {
    name: "ws",
    packages: ["ws"],
    effect: "echoes messages on one path, alongside the API",
    notIn,
    create: (place) => {
      refuseFactory(place);
      return {
        handler: () => ({ a: 1 }),
        prove: async ({ send, url }, { server }) => {
          const sockets = new WebSocketServer({ server, path: "/echo" });
          sockets.on("connection", (socket) => {
            socket.on("message", (message) => socket.send(`echo: ${message}`));
          });
          await provesEcho(toSocketUrl(url, "/echo"));
          assert.deepEqual((await send("/t")).data, { a: 1 });
          sockets.close();
        },
      };
    },
  },
  {
    name: "express-ws",
    packages: ["express-ws"],
    effect: "echoes messages on a route of `app.ws`, alongside the API",
    notIn,
    create: (place) => {
      refuseFactory(place);
      const useEcho = (app, server) => {
        expressWs(app, server);
        app.ws("/echo", (socket) => {
          socket.on("message", (message) => socket.send(`echo: ${message}`));
        });
      };
      return {
        // the framework creates the server only when it starts listening
        ...(place === "hooks" ? {} : { prepare: useEcho }),
        handler: () => ({ a: 1 }),
        prove: async ({ send, url }, { app, server }) => {
          if (place === "hooks") useEcho(app, server);
          await provesEcho(toSocketUrl(url, "/echo"));
          assert.deepEqual((await send("/t")).data, { a: 1 });
        },
      };
    },
  },
];
