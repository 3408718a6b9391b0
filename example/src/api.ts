import { sql } from "drizzle-orm";
import pino from "pino";
import { createConfig, defaultResultHandler, problemResultHandler } from "sallyport";
import { openTelemetry } from "sallyport/opentelemetry";
import { database } from "./database/connection.ts";
import { environment } from "./environment.ts";
import { adminFactory } from "./factories.ts";
import { redis } from "./redis.ts";
import { resources } from "./shop.ts";

export { routing } from "./routing.ts";

const isProduction = environment.NODE_ENV === "production";

/** The configuration of the server, which the command line also reads. */
export const config = createConfig({
  http: { listen: environment.PORT },
  cors: false,
  // lines for people in a terminal, and JSON elsewhere
  logger: process.stdout.isTTY
    ? { level: environment.LOG_LEVEL }
    : pino({ level: environment.LOG_LEVEL }),
  requestId: true,
  compression: true,
  forms: false,
  upload: true,
  cookies: { secret: environment.SESSION_SECRET, nameBinding: "required" },
  requestTimeout: environment.REQUEST_TIMEOUT,
  errorHandler: { "/admin": problemResultHandler, "/": defaultResultHandler },
  trustProxy: environment.PROXIES,
  resources,
  gracefulShutdown: { drain: isProduction ? 5000 : 0 },
  ...(environment.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && {
    telemetry: openTelemetry({ spans: ["handler"] }),
  }),
  // a route that is neither public nor protected keeps the server from starting
  access: "explicit",
  health: {
    access: "public",
    checks: {
      database: async () => void (await database().execute(sql`SELECT 1`)),
      ...(redis && { redis: async () => void (await redis?.ping()) }),
    },
  },
  docs: {
    ui: "swagger",
    ...(isProduction ? { factory: adminFactory } : { access: "public" }),
    info: {
      title: "Book shop",
      version: "2.0.0",
      description: "Books, carts, orders and payments. Prices are in cents.",
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    tags: {
      accounts: "Accounts, sessions and tokens",
      books: "What the shop sells",
      covers: "Pictures of books",
      cart: "What an account is about to order",
      orders: "What an account has ordered",
      payments: "For the payment provider",
      administration: "For administrators; errors are problem details",
    },
  },
});
