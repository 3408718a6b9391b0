import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const kept = z.object({ SESSION_SECRET: z.string().min(32), ADMIN_PASSWORD: z.string().min(12) });
const { SESSION_SECRET: secret, ADMIN_PASSWORD: password } = kept.shape;

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
    ADMIN_PASSWORD: password.optional(),
    /** How long a customer can cancel an order before its payment is asked for, in milliseconds. */
    CANCEL_TIME: z.coerce.number().int().min(0).max(3_600_000).default(15_000),
    PAYMENT_URL: z.url({ protocol: /^https?$/ }).optional(),
    PAYMENT_SECRET: secret.optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  })
  .superRefine((variables, context) => {
    const require = (name: keyof typeof variables, why: string): void => {
      if (variables[name] === undefined)
        context.addIssue({ code: "custom", path: [name], message: `Required ${why}` });
    };
    if (variables.NODE_ENV === "production") {
      require("SESSION_SECRET", "in production: at least 32 characters, the same for all processes");
      require("ADMIN_PASSWORD", "in production: at least 12 characters");
    }
    if (variables.PAYMENT_URL !== undefined)
      require("PAYMENT_SECRET", "with PAYMENT_URL: it signs the provider's webhooks");
  });

type Variables = z.output<typeof schema>;

/**
 * Reads the settings from environment variables; an empty variable counts as absent.
 *
 * @throws {Error} which names each variable that is missing or invalid.
 */
export const readEnvironment = (
  variables: Readonly<Record<string, string | undefined>>,
): Variables => {
  const given = Object.entries(variables).filter(([, value]) => value !== "");
  const { success, data, error } = schema.safeParse(Object.fromEntries(given));
  if (success) return data;
  const lines = error.issues.map(({ path, message }) => `  ${path.join(".")}: ${message}`);
  const message = `The environment is not valid:\n${lines.join("\n")}`;
  throw Object.assign(new Error(message), { code: "ERR_ENVIRONMENT" });
};

const createSecret = (): string => randomBytes(32).toString("hex");

/** Reads the secrets of development, which the first start creates. */
const readSecrets = (folder: string) => {
  const file = join(folder, "secrets.json");
  if (!existsSync(file)) {
    const ADMIN_PASSWORD = randomBytes(12).toString("base64url");
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, JSON.stringify({ SESSION_SECRET: createSecret(), ADMIN_PASSWORD }), {
      mode: 0o600,
    });
  }
  return kept.parse(JSON.parse(readFileSync(file, "utf8")));
};

/** Adds the secrets that only production requires: kept in a file, so that a restart logs nobody out. */
export const addSecrets = (variables: Variables) => ({
  ...variables,
  PAYMENT_SECRET: variables.PAYMENT_SECRET ?? createSecret(),
  SESSION_SECRET: variables.SESSION_SECRET ?? readSecrets(variables.DATA_FOLDER).SESSION_SECRET,
  ADMIN_PASSWORD: variables.ADMIN_PASSWORD ?? readSecrets(variables.DATA_FOLDER).ADMIN_PASSWORD,
});

/** The settings of this process. */
export const environment = addSecrets(readEnvironment(process.env));
