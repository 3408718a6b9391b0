// Run by shutdown.test.ts as a process of its own; with the argument `fail` its hook fails.
import type { AddressInfo } from "node:net";
import { createConfig, createServer, defaultEndpointsFactory } from "sallyport";

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const { servers } = await createServer(
  createConfig({
    http: { listen: { port: 0, host: "localhost" } },
    cors: false,
    logger: { level: "silent" },
    gracefulShutdown: {
      beforeExit: async () => {
        print("hook");
        if (process.argv.includes("fail")) throw new Error("The database is gone");
      },
    },
  }),
  {
    slow: defaultEndpointsFactory.build({
      handler: async ({ response }) => {
        print("running");
        response.once("finish", () => print("answered"));
        await new Promise((resolve) => setTimeout(resolve, 300));
        return {};
      },
    }),
  },
);
const address = servers[0]?.address() as AddressInfo;
print(`port ${address.port}`);
