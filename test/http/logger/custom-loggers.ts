import { Writable } from "node:stream";
import bunyan from "bunyan";
import { pino } from "pino";
import winston from "winston";

/** Collects the JSON lines that a logger writes. */
export const createSink = () => {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split("\n"))
        if (line !== "") lines.push(JSON.parse(line) as Record<string, unknown>);
      done();
    },
  });
  return { lines, stream };
};

/** The loggers that need no adapter, by name. */
export const loggers: Readonly<Record<string, (stream: Writable) => object>> = {
  pino: (stream) => pino({ level: "debug" }, stream),
  "a child of pino": (stream) => pino({ level: "debug" }, stream).child({ app: "a" }),
  bunyan: (stream) => bunyan.createLogger({ name: "a", level: "debug", stream }),
  winston: (stream) =>
    winston.createLogger({
      level: "debug",
      format: winston.format.json(),
      transports: [new winston.transports.Stream({ stream })],
    }),
};
