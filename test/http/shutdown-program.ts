// A server that server/shutdown.test.ts runs in a process of its own. The argument says how it is shut down.
import type { AddressInfo } from "node:net";
import { createConfig, createServer, defaultEndpointsFactory, type ServerConfig } from "sallyport";

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const way = process.argv[2] ?? "";
const beforeExit = async (): Promise<void> => print("hook");
const ways: Readonly<Record<string, ServerConfig["gracefulShutdown"]>> = {
  "with a hook": { beforeExit },
  "with a hook that fails": {
    beforeExit: async () => {
      await beforeExit();
      throw new Error("The database is gone");
    },
  },
  "with a hook that hangs": {
    timeout: 600,
    beforeExit: async () => {
      await beforeExit();
      await new Promise(() => setInterval(() => undefined, 60_000));
    },
  },
  "with the longest limit": {
    timeout: 2_147_483_647,
    beforeExit: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await beforeExit();
    },
  },
  "without a hook": true,
  "with a drain": { drain: 1500, beforeExit },
  "with a configured signal": { events: ["SIGUSR2"], beforeExit },
};

const resource = {
  name: "resource",
  stop: () => {
    print("resource");
    if (way === "with a resource that fails") throw new Error("The database is gone");
  },
};
const lives: Readonly<Record<string, Partial<ServerConfig>>> = {
  "with a resource": { resources: [resource], onStop: () => print("onStop") },
  "with a resource that fails": { resources: [resource] },
};

const createProgram = (gracefulShutdown: ServerConfig["gracefulShutdown"]) =>
  createServer(
    createConfig({
      http: { listen: { port: 0, host: "localhost" } },
      cors: false,
      logger: { level: "silent" },
      health: true,
      gracefulShutdown: gracefulShutdown ?? false,
      ...lives[way],
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
if (way.endsWith("beside another server")) {
  const other = await createProgram({ beforeExit: () => print("other hook") });
  if (way.startsWith("closed")) await other.close();
}
const { servers } = await createProgram(ways[way] ?? { beforeExit });
const address = servers[0]?.address() as AddressInfo;
print(`port ${address.port}`);
