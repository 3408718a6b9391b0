import { createConfig } from "sallyport";

/** Creates the configuration of a server that logs nothing and has no CORS, like the peers. */
export const createQuietConfig = (more = {}) =>
  createConfig({
    http: { listen: Number(process.argv[2]) },
    cors: false,
    logger: { level: "silent" },
    accessLogger: null,
    startupLogo: false,
    ...more,
  });
