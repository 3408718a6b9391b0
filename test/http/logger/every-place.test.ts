import { once } from "node:events";
import { createServer as createNodeServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import {
  attachRouting,
  EndpointsFactory,
  EventStreamFactory,
  ez,
  ResultHandler,
  type CommonConfig,
  type Logger,
  type Routing,
} from "sallyport";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createRecorder, send, start } from "../harness.ts";
import { createSink, loggers } from "./custom-loggers.ts";

/** Writes a line with fields to the logger that a place receives. */
const say = (place: string, logger: Logger): Logger => {
  logger.info("said", { place, error: new Error(`failed ${place}`) });
  return logger;
};

const factory = new EndpointsFactory(
  new ResultHandler({
    positive: () => ({ schema: z.literal("ok"), mimeType: "text/plain" }),
    negative: () => ({ schema: z.string(), mimeType: "text/plain" }),
    handler: ({ logger, response, error }) => {
      say("in a result handler", logger);
      response.status(error ? 500 : 200).send("done");
    },
  }),
);

const routing: Routing = {
  "post /upload": factory
    .addMiddleware({ handler: ({ logger }) => void say("in a middleware", logger) })
    .addMiddleware({
      around: ({ logger }, next) => {
        say("in an around middleware", logger);
        return next();
      },
    })
    .build({
      method: "post",
      input: z.object({ file: ez.upload() }),
      handler: ({ logger }) => {
        say("in a handler", logger);
        throw new Error("fault");
      },
    }),
  "get /ticks": new EventStreamFactory({ tick: z.number() }).build({
    handler: ({ logger }) => void say("in a stream", logger),
  }),
};

/** The places that receive a logger from both kinds of servers. */
const common: Partial<CommonConfig> = {
  requestId: true,
  cors: ({ logger }) => {
    say("in cors", logger);
    return {};
  },
  upload: { beforeUpload: ({ logger }) => void say("in beforeUpload", logger) },
  onError: { handler: ({ logger }) => void say("in onError", logger) },
  logFaults: ({ logger }) => say("in logFaults", logger),
  accessLogger: (_request, logger) => say("in accessLogger", logger),
  childLoggerProvider: ({ parent }) => say("in childLoggerProvider", parent),
};

const ofRequests = [
  "in a handler",
  "in a middleware",
  "in a result handler",
  "in a stream",
  "in accessLogger",
  "in an around middleware",
  "in beforeUpload",
  "in childLoggerProvider",
  "in cors",
  "in logFaults",
  "in onError",
];

const ask = async (port: number): Promise<void> => {
  const type = "multipart/form-data; boundary=b";
  const part = 'Content-Disposition: form-data; name="file"; filename="a"';
  const body = `--b\r\n${part}\r\n\r\na\r\n--b--\r\n`;
  const sent = { method: "POST", headers: { "content-type": type }, body };
  expect((await send(port, "/upload", sent)).status).toBe(500);
  expect((await send(port, "/ticks")).status).toBe(200);
};

/** Serves with `createServer`, and returns the places that should have said something. */
const serve = async (logger: CommonConfig["logger"]): Promise<readonly string[]> => {
  const server = await start(routing, {
    ...common,
    ...{ logger, startupLogo: false },
    resources: [
      {
        name: "database",
        start: (args) => say("in start", args.logger),
        stop: (args) => say("in stop", args.logger),
      },
    ],
    onStart: (args) => say("in onStart", args.logger),
    onStop: (args) => say("in onStop", args.logger),
    beforeRouting: ({ app, getLogger }) => {
      say("in beforeRouting", getLogger());
      app.use((request, _response, next) => {
        say("in a layer", getLogger(request));
        next();
      });
    },
    afterRouting: ({ getLogger }) => say("in afterRouting", getLogger()),
  });
  say("from createServer", server.logger);
  await ask(server.port);
  await server.close();
  return [
    ...ofRequests,
    ...["from createServer", "in a layer", "in afterRouting", "in beforeRouting"],
    ...["in onStart", "in onStop", "in start", "in stop"],
  ];
};

/** Serves with `attachRouting`, and returns the places that should have said something. */
const attach = async (logger: CommonConfig["logger"]): Promise<readonly string[]> => {
  const app = express();
  say("from attachRouting", attachRouting({ cors: false, ...common, app, logger }, routing).logger);
  const server = createNodeServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  await ask((server.address() as AddressInfo).port);
  return [...ofRequests, "from attachRouting"];
};

const waysToServe = [serve, attach];

for (const run of waysToServe)
  test.each(Object.entries(loggers))(
    `the fields of each line reach %s from every place that receives a logger of ${run.name}`,
    async (_name, create) => {
      const { lines, stream } = createSink();
      const places = await run(create(stream));
      const listComplete = (): string[] => {
        const complete = lines.filter(
          ({ msg, message, err, error, place }) =>
            (msg ?? message) === "said" &&
            JSON.stringify(err ?? error)?.includes(`failed ${String(place)}`),
        );
        return [...new Set(complete.map(({ place }) => String(place)))].toSorted();
      };
      await expect.poll(listComplete).toEqual(places.toSorted());
    },
  );

for (const run of waysToServe)
  test(`the fields of each line reach the console from every place that receives a logger of ${run.name}`, async () => {
    const written: string[] = [];
    const print = vi.spyOn(console, "log").mockImplementation((text: string) => {
      written.push(text);
    });
    onTestFinished(() => print.mockRestore());
    const places = await run({ level: "info", color: false });
    const listComplete = (): string[] => {
      const found = written.map(
        (line) => /said .*place: '([^']*)'.*failed/.exec(line)?.[1] ?? line,
      );
      return [...new Set(found)].toSorted();
    };
    await expect.poll(listComplete).toEqual(places.toSorted());
  });

test("a server that is given the logger of another one keeps its own `logFaults`", async () => {
  const { logger, lines } = createRecorder();
  const fail = () => {
    throw new Error("fault");
  };
  const routes = { "get /fails": factory.build({ handler: fail }) };
  const told: string[] = [];
  const one = await start(routes, { logger, logFaults: () => void told.push("one") });
  const other = await start(routes, {
    logger: one.logger,
    logFaults: () => void told.push("other"),
  });
  await one.send("/fails");
  await other.send("/fails");
  expect(told).toEqual(["one", "other"]);
  expect(lines.filter(({ severity }) => severity === "error")).toEqual([]);
});
