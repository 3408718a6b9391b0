// A server with one feature, named by the first argument, and its load; run with `--trace-gc`.
import { Agent, request as send } from "node:http";
import { createConfig, createServer, defaultEndpointsFactory as factory } from "../../src/index.ts";
import { z } from "zod";

const [, , feature, count] = process.argv;
const features = {
  nothing: {},
  hook: {
    config: { beforeRouting: ({ app }) => void app.use((_request, _response, next) => next()) },
  },
  native: { extend: factory.use((_request, _response, next) => next()) },
  conditions: { endpoint: { version: () => "1" } },
  errors: {
    endpoint: {
      errors: { 404: "None" },
      handler: ({ errors }) => {
        throw errors[404]();
      },
    },
  },
};
const { config = {}, endpoint = {}, extend = factory } = features[feature];
const { servers } = await createServer(
  createConfig({
    http: { listen: 0 },
    cors: false,
    startupLogo: false,
    accessLogger: null,
    logger: { level: "silent" },
    ...config,
  }),
  {
    "post one": extend.build({
      input: z.object({ a: z.number() }),
      handler: () => ({}),
      ...endpoint,
    }),
    "get one": extend.build({ handler: () => ({}), ...endpoint }),
  },
);
const { port } = servers[0].address();
const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const ask = (method) =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "if-none-match": '"2"' };
    const request = send({ port, path: "/one", method, agent, headers }, (response) =>
      response.resume().on("end", resolve),
    );
    request.on("error", reject).end(method === "POST" ? '{"a":1}' : undefined);
  });
for (let done = 0; done < Number(count); done += 4)
  await Promise.all(["GET", "POST", "GET", "POST"].map(ask));
process.exit(0);
