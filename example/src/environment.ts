import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const secret = z.string().min(32);

const schema = z
  .object({
    NODE_ENV: z.enum(["development", "test", "production"]).default("development"),
    PORT: z.coerce.number().int().min(0).max(65_535).default(8090),
    /** How many proxies stand before the server; the client's address is taken from the last one. */
    PROXIES: z.coerce.number().int().min(0).default(0),
    LOG_LEVEL: z.enum(["silent", "error", "warn", "info", "debug"]).default("info"),
    /** A time limit for requests, in milliseconds. */
    REQUEST_TIMEOUT: z.coerce.number().int().positive().default(30_000),
    DATABASE_URL: z.url({ protocol: /^postgres(?:ql)?$/ }).optional(),
    DATABASE_CONNECTIONS: z.coerce.number().int().positive().default(10),
    REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
    /** The folder of the covers and, without DATABASE_URL, of the database. */
    DATA_FOLDER: z.string().default(fileURLToPath(new URL("../data", import.meta.url))),
    SESSION_SECRET: secret.optional(),
    ADMIN_EMAIL: z.email().default("admin@shop.example"),
    ADMIN_PASSWORD: z.string().min(12).optional(),
    /** How long a customer can cancel an order before its payment is asked for, in milliseconds. */
    CANCEL_TIME: z.coerce.number().int().min(0).max(3_600_000).default(15_000),
    PAYMENT_URL: z.url({ protocol: /^https?$/ }).optional(),
    PAYMENT_SECRET: secret.optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  })
  .superRefine((variables, context) => {
    const require = (name: "SESSION_SECRET" | "PAYMENT_SECRET", why: string): void => {
      if (variables[name] === undefined)
        context.addIssue({ code: "custom", path: [name], message: `Required ${why}` });
    };
    if (variables.NODE_ENV === "production")
      require("SESSION_SECRET", "in production: at least 32 characters, the same for all processes");
    if (variables.PAYMENT_URL !== undefined)
      require("PAYMENT_SECRET", "with PAYMENT_URL: it signs the provider's webhooks");
  })
  .transform(({ SESSION_SECRET, PAYMENT_SECRET, ...variables }) => ({
    ...variables,
    // without a secret of one's own, sessions and cursors end with the process
    SESSION_SECRET: SESSION_SECRET ?? randomBytes(32).toString("hex"),
    PAYMENT_SECRET: PAYMENT_SECRET ?? randomBytes(32).toString("hex"),
  }));

/** The settings of the shop. */
export type Environment = z.output<typeof schema>;

/**
 * Reads the settings from environment variables; an empty variable counts as absent.
 *
 * @throws {Error} which names each variable that is missing or invalid.
 */
export const readEnvironment = (
  variables: Readonly<Record<string, string | undefined>>,
): Environment => {
  const given = Object.entries(variables).filter(([, value]) => value !== "");
  const { success, data, error } = schema.safeParse(Object.fromEntries(given));
  if (success) return data;
  const lines = error.issues.map(({ path, message }) => `  ${path.join(".")}: ${message}`);
  const message = `The environment is not valid:\n${lines.join("\n")}`;
  throw Object.assign(new Error(message), { code: "ERR_ENVIRONMENT" });
};

/** The settings of this process. */
export const environment: Environment = readEnvironment(process.env);
