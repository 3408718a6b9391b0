// Sends requests over kept-alive connections, on all of them at once, and waits for all responses.
import { once } from "node:events";
import { connect } from "node:net";

let count = 0;

/** Returns what returns the bytes of a request; `{n}` in a header field becomes a number that no other request has. */
const createRequest = (port, { path, method = "GET", body = "", fields = {} }) => {
  const text = [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    ...(body ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : []),
    "",
    body,
  ].join("\r\n");
  const bytes = Buffer.from(text);
  if (!text.includes("{n}")) return () => bytes;
  return () => Buffer.from(text.replace("{n}", String(count++).padStart(8, "0")));
};

const open = async (port) => {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  await once(socket, "connect");
  return socket;
};

const readReply = (socket) =>
  new Promise((resolve, reject) => {
    let text = "";
    const onData = (data) => {
      text += data.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = /^content-length: (\d+)/im.exec(text.slice(0, end));
      const isComplete = length
        ? text.length >= end + 4 + Number(length[1])
        : text.endsWith("\r\n0\r\n\r\n");
      if (!isComplete) return;
      socket.off("data", onData);
      resolve(text);
    };
    socket.on("data", onData);
    socket.off("error", socket.fail ?? reject).once("error", (socket.fail = reject));
  });

/** Sends a request on a connection of its own, and returns the response as text. */
export const sendOne = async (port, workload) => {
  const socket = await open(port);
  socket.write(createRequest(port, workload)());
  const text = await readReply(socket);
  socket.destroy();
  return text;
};

/** Sends a number of requests over new connections, which are kept alive. */
export const send = async (port, workload, total, connections = 16) => {
  const { status = 200 } = workload;
  const toBytes = createRequest(port, workload);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const sendEach = async (socket) => {
    socket.write(toBytes());
    const text = await readReply(socket);
    if (!text.startsWith(`HTTP/1.1 ${status} `)) throw new Error(text.slice(0, 200));
  };
  // sends on all connections at once, so that each turn of the server's event loop gets equally many requests, even if the
  // machine is busy
  for (let sent = 0; sent < total; sent += connections) await Promise.all(sockets.map(sendEach));
  for (const socket of sockets) socket.destroy();
};

/** The character that the data of each event contains once, and nothing else in a stream. */
export const eventMark = "*";

/** Opens event streams, and returns what publishes a number of events and waits until each stream has received them. */
export const openStreams = async (port, workload) => {
  const { stream, followers } = workload;
  const toBytes = createRequest(port, stream);
  let missing = 0;
  let onReceived = () => {};
  for (let left = followers; left > 0; left--) {
    const socket = await open(port);
    socket.write(toBytes());
    await once(socket, "data");
    socket.on("data", (data) => {
      missing -= data.toString("latin1").split(eventMark).length - 1;
      if (missing === 0) onReceived();
    });
  }
  return async (total) => {
    for (let sent = 0; sent < total; sent++) {
      missing = followers;
      const received = new Promise((resolve) => {
        onReceived = resolve;
      });
      await send(port, workload, 1, 1);
      await received;
    }
  };
};
