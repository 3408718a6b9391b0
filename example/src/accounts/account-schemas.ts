import { ez } from "sallyport";
import { z } from "zod";

/** Two addresses that differ only in case are one. */
export const email = z
  .email()
  .max(254)
  .toLowerCase()
  .meta({ examples: ["ada@example.com"] });

export const password = z
  .string()
  .min(10, "Use at least 10 characters")
  .max(200)
  .meta({ examples: ["a long sentence"] });

export const account = z
  .object({
    id: z.uuid().meta({ examples: ["0194b5bf-0a11-7e02-8d3c-1f6b7a9c4e55"] }),
    email: z.email().meta({ examples: ["ada@example.com"] }),
    name: z.string().meta({ examples: ["Ada Lovelace"] }),
    role: z.enum(["customer", "admin"]),
  })
  .meta({ id: "Account" });

export const token = z
  .object({
    id: z.uuid().meta({ examples: ["0194b5c2-6c0d-7b12-8f5e-3a9d1c7e2b64"] }),
    name: z.string().meta({ examples: ["nightly import"] }),
    createdAt: ez.dateOut({ examples: ["2026-11-30T09:00:00.000Z"] }),
  })
  .meta({ id: "Token" });
