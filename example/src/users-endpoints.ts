import createHttpError from "http-errors";
import { ez } from "sallyport";
import { z } from "zod";
import { csvFactory, keyFactory, publicFactory } from "./factories.ts";

const fields = z.object({
  name: z.string().trim().min(1).max(100),
  email: z.email(),
  role: z.enum(["admin", "member"]),
});

const user = fields.extend({
  id: z.uuid(),
  createdAt: ez.dateOut(),
});

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, "Must be a whole number")
  .transform(Number);

const noSuchUser = () => createHttpError(404, "There is no such user");

export const listUsers = publicFactory.build({
  method: "get",
  shortDescription: "Lists users",
  input: z.object({
    limit: wholeNumber.pipe(z.number().min(1).max(100)).default(20),
    offset: wholeNumber.default(0),
  }),
  output: z.object({ users: z.array(user), total: z.int().nonnegative() }),
  handler: async ({ input, ctx }) => ctx.users.list(input.offset, input.limit),
});

export const createUser = keyFactory.build({
  method: "post",
  shortDescription: "Creates a user",
  input: fields.extend({ role: fields.shape.role.default("member") }),
  output: user,
  handler: async ({ input, ctx, response, logger }) => {
    if (ctx.users.hasEmail(input.email)) throw createHttpError(409, "The e-mail address is taken");
    const created = ctx.users.create(input);
    logger.info("Created a user", { id: created.id, by: ctx.caller });
    response.status(201);
    return created;
  },
});

export const readUser = publicFactory.build({
  method: "get",
  shortDescription: "Reads a user",
  input: z.object({ id: z.uuid() }),
  output: user,
  handler: async ({ input, ctx }) => {
    const found = ctx.users.find(input.id);
    if (!found) throw noSuchUser();
    return found;
  },
});

export const updateUser = keyFactory.build({
  method: "patch",
  shortDescription: "Changes a user",
  input: fields.partial().extend({ id: z.uuid() }),
  output: user,
  handler: async ({ input: { id, ...changes }, ctx }) => {
    if (changes.email !== undefined && ctx.users.hasEmail(changes.email, id))
      throw createHttpError(409, "The e-mail address is taken");
    const updated = ctx.users.update(id, changes);
    if (!updated) throw noSuchUser();
    return updated;
  },
});

export const removeUser = keyFactory.buildVoid({
  method: "delete",
  shortDescription: "Deletes a user",
  input: z.object({ id: z.uuid() }),
  handler: async ({ input, ctx }) => {
    if (!ctx.users.remove(input.id)) throw noSuchUser();
  },
});

export const exportUsers = csvFactory.build({
  method: "get",
  shortDescription: "Exports all users as CSV",
  output: z.object({ csv: z.string() }),
  handler: async ({ ctx }) => {
    const { users } = ctx.users.list(0, Number.MAX_SAFE_INTEGER);
    const lines = users.map(({ id, name, email, role }) =>
      [id, name, email, role].map(toCell).join(","),
    );
    return { csv: `${["id,name,email,role", ...lines].join("\r\n")}\r\n` };
  },
});

/** Quoted always; a leading apostrophe keeps spreadsheets from running a cell that looks like a formula. */
const toCell = (text: string): string =>
  `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
