import { ez } from "sallyport";
import { z } from "zod";

/** Two addresses that differ only in case are one. */
export const email = z
  .email()
  .max(254)
  .toLowerCase()
  .meta({ examples: ["ada@example.com"] });

export const password = z.string().min(10, "Use at least 10 characters").max(200);

export const account = z
  .object({ id: z.uuid(), email: z.email(), name: z.string(), role: z.enum(["customer", "admin"]) })
  .meta({ id: "Account" });

export const token = z
  .object({ id: z.uuid(), name: z.string(), createdAt: ez.dateOut() })
  .meta({ id: "Token" });
