import { ez } from "sallyport";
import { z } from "zod";

/** The fields of a user that a client sets. */
export const userFields = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .meta({ examples: ["Ada"] }),
  email: z.email().meta({ examples: ["ada@example.com"] }),
  role: z.enum(["admin", "member"]),
});

/** A user as clients see it. */
export const user = userFields
  .extend({
    id: z.uuid(),
    createdAt: ez.dateOut({ examples: ["2026-11-21T10:30:00.000Z"] }),
    picture: z.string().optional().describe("The path of the picture"),
  })
  .meta({ id: "User", description: "A user" });
