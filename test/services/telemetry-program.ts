// A server that telemetry-processes.test.ts runs in a process of its own, on the port of the third argument. With
// "attached" as the fourth one, it is an application of the user's own.
import { once } from "node:events";
import { createRequire } from "node:module";
import express from "express";
import {
  attachRouting,
  createServer,
  defaultEndpointsFactory as factory,
  type CommonConfig,
} from "sallyport";
import { openTelemetry } from "sallyport/opentelemetry";
import { z } from "zod";

const [, , , , port, kind] = process.argv;

const routing = {
  "v1/users/:id": factory.build({
    input: z.object({ id: z.string() }),
    handler: async ({ input, logger }) => {
      logger.info("found");
      return input;
    },
  }),
  "v1/fail": factory.build({ handler: () => Promise.reject(new TypeError("broken")) }),
};
const config: CommonConfig = {
  cors: false,
  logger: { level: "info", color: false },
  telemetry: openTelemetry(),
};
const listen = { port: Number(port), host: "127.0.0.1" };

if (kind === "attached") {
  const app = express();
  const router = express.Router();
  app.use("/api", router);
  attachRouting({ ...config, app: router }, routing);
  // an ECMAScript module that imports node:http is patched only with a loader
  const http = createRequire(import.meta.url)("node:http") as typeof import("node:http");
  await once(http.createServer(app).listen(listen), "listening");
} else await createServer({ ...config, http: { listen } }, routing);
process.stdout.write("ready\n");
