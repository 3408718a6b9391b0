// Starts a server, which also serves its documentation if an argument is given, responds to one
// request, and exits.
import { register } from "node:module";

register("./loaded-modules-hooks.mjs", import.meta.url);
const { createServer, defaultEndpointsFactory } = await import("../../../src/index.ts");
const hello = defaultEndpointsFactory.build({ handler: () => ({}) });
const { servers, close } = await createServer(
  {
    http: { listen: { port: 0, host: "127.0.0.1" } },
    cors: false,
    startupLogo: false,
    logger: { level: "silent" },
    ...(process.argv[2] && { docs: { ui: "swagger" } }),
  },
  { hello },
);
await fetch(`http://127.0.0.1:${servers[0].address().port}/hello`);
await close();
process.exit();
