// A server that shutdown.test.ts runs in a process of its own. The argument says how it is shut down.
import type { AddressInfo } from "node:net";
import { createConfig, createServer, defaultEndpointsFactory, type ServerConfig } from "sallyport";

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const beforeExit = async (): Promise<void> => print("hook");
const ways: Readonly<Record<string, ServerConfig["gracefulShutdown"]>> = {
  "with a hook": { beforeExit },
  "with a hook that fails": {
    beforeExit: async () => {
      await beforeExit();
      throw new Error("The database is gone");
    },
  },
  "without a hook": true,
  "with a configured signal": { events: ["SIGUSR2"], beforeExit },
};

const { servers } = await createServer(
  createConfig({
    http: { listen: { port: 0, host: "localhost" } },
    cors: false,
    logger: { level: "silent" },
    gracefulShutdown: ways[process.argv[2] ?? ""] ?? false,
  }),
  {
    slow: defaultEndpointsFactory.build({
      handler: async ({ request, response }) => {
        print("running");
        response.once("finish", () => print("answered"));
        await new Promise((resolve) => setTimeout(resolve, Number(request.query["ms"])));
        return {};
      },
    }),
  },
);
const address = servers[0]?.address() as AddressInfo;
print(`port ${address.port}`);
