import { createConfig } from "sallyport";

export { routing } from "./routing.ts";

/** The configuration of the server, which the command line also reads. */
export const config = createConfig({
  http: { listen: Number(process.env["PORT"] ?? 8090) },
  cors: true,
  upload: true,
  logger: { level: "info" },
  gracefulShutdown: true,
  docs: {
    ui: "swagger",
    info: {
      title: "Users",
      version: "1.0.0",
      description: "A small users API that stores its data in memory.",
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    tags: {
      users: "The users of the application",
      exports: "Data for other programs",
    },
  },
});
