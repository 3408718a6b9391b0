import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { z } from "zod";

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8090),
  DATABASE: z.string().min(1).default("data"),
});

if (existsSync(".env")) loadEnvFile();

/** The settings of this process; a missing or invalid one ends it at startup. */
export const environment = schema.parse(process.env);
