import { createConfig, type Routing } from "sallyport";
import { environment } from "./environment.ts";
import { greet } from "./greet.ts";

export const routing = {
  v1: { greetings: { ":language": greet } },
} satisfies Routing;

export const config = createConfig({
  http: { listen: environment.PORT },
  cors: false,
  // a route that is neither public nor protected keeps the server from starting
  access: "explicit",
  docs: { ui: "swagger", access: "public" },
  health: { access: "public" },
  gracefulShutdown: true,
});
