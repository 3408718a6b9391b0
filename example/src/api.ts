import { createConfig } from "sallyport";

export { routing } from "./routing.ts";

/** What the server and the command line share. */
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
      description: "A small API of users, which are kept in memory.",
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    tags: {
      users: "Who may use the application",
      exports: "Data for other programs",
    },
  },
});
