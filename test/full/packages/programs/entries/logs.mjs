// Packages that write logs.
import assert from "node:assert/strict";
import { Writable } from "node:stream";
import expressWinston from "express-winston";
import morgan from "morgan";
import { pino } from "pino";
import { pinoHttp } from "pino-http";
import winston from "winston";

const createSink = () => {
  const lines = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk).trim());
      done();
    },
  });
  return { lines, stream };
};

/** Waits for a log line, which may be written only after the client has read the response. */
const waitForLine = async (lines) => {
  for (let turn = 0; turn < 200 && lines.length === 0; turn++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return lines[0];
};

export const entries = [
  {
    name: "morgan",
    packages: ["morgan"],
    effect: "logs a line with method, path, status and bytes",
    create: () => {
      const { lines, stream } = createSink();
      return {
        layers: () => [morgan(":method :url :status :res[content-length]", { stream })],
        handler: () => ({ a: 1 }),
        prove: async ({ send }) => {
          const { text } = await send("/t?b=2");
          assert.equal(await waitForLine(lines), `GET /t?b=2 200 ${text.length}`);
        },
      };
    },
  },
  {
    name: "pino-http",
    packages: ["pino-http", "pino"],
    effect: "logs a line with the status; gives the handler a logger with the request's id",
    create: () => {
      const { lines, stream } = createSink();
      return {
        layers: () => [pinoHttp({ logger: pino(stream), genReqId: () => "r-1" })],
        handler: ({ request }) => {
          request.log.info("inside");
          return {};
        },
        prove: async ({ send }) => {
          await send("/t");
          while (lines.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
          const [inside, completed] = lines.map((line) => JSON.parse(line));
          assert.deepEqual([inside.msg, inside.req.id], ["inside", "r-1"]);
          assert.equal(completed.res.statusCode, 200);
          assert.equal(completed.req.url, "/t");
        },
      };
    },
  },
  {
    name: "express-winston",
    packages: ["express-winston", "winston"],
    effect: "logs a line with status and method",
    create: () => {
      const { lines, stream } = createSink();
      const transports = [new winston.transports.Stream({ stream })];
      return {
        layers: () => [
          expressWinston.logger({
            transports,
            format: winston.format.json(),
            msg: "{{req.method}} {{req.url}} {{res.statusCode}}",
          }),
        ],
        prove: async ({ send }) => {
          await send("/t");
          const { message, meta } = JSON.parse(await waitForLine(lines));
          assert.equal(message, "GET /t 200");
          assert.equal(meta.res.statusCode, 200);
        },
      };
    },
  },
];
