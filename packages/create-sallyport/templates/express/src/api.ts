import { createConfig, type Routing } from "sallyport";
import { application } from "./application.ts";
import { readTask } from "./read-task.ts";

export const routing = {
  v1: { tasks: { ":id": readTask } },
} satisfies Routing;

export const config = createConfig({
  app: application,
  cors: false,
  // a route that is neither public nor protected keeps the server from starting
  access: "explicit",
  docs: { ui: "swagger", access: "public" },
  health: { access: "public" },
});
