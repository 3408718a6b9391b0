import createHttpError from "http-errors";
import { ez } from "sallyport";
import { z } from "zod";
import { changesFactory, csvFactory, keyFactory, publicFactory } from "./factories.ts";
import { user, userFields } from "./user-schemas.ts";

const page = ez.paginated({
  style: "offset",
  itemSchema: user,
  itemsName: "users",
  links: true,
});

const id = z.uuid().describe("The id of the user");

const missing = { 404: "There is no such user" };
const taken = {
  409: {
    description: "The e-mail address is taken",
    schema: z.object({ email: z.email() }),
  },
};

const emailTaken = (email: string) =>
  createHttpError(409, "The e-mail address is taken", { data: { email } });

const noSuchUser = () => createHttpError(404, "There is no such user");

export const listUsers = publicFactory.build({
  method: "get",
  tag: "users",
  shortDescription: "Lists users",
  description: "Lists users in the order in which they were created, page by page.",
  input: page.input,
  output: page.output,
  handler: async ({ input: { limit, offset }, ctx }) => ({
    ...ctx.users.list(offset, limit),
    limit,
    offset,
  }),
});

export const createUser = keyFactory.build({
  method: "post",
  tag: "users",
  shortDescription: "Creates a user",
  statusCode: 201,
  errors: taken,
  input: userFields.extend({ role: userFields.shape.role.default("member") }),
  output: user,
  handler: async ({ input, ctx, logger }) => {
    if (ctx.users.hasEmail(input.email)) throw emailTaken(input.email);
    const created = ctx.users.create(input);
    logger.info("Created a user", { id: created.id, by: ctx.caller });
    return created;
  },
});

export const readUser = publicFactory.build({
  method: "get",
  tag: "users",
  shortDescription: "Reads a user",
  errors: missing,
  input: z.object({ id }),
  output: user,
  handler: async ({ input, ctx }) => {
    const found = ctx.users.find(input.id);
    if (!found) throw noSuchUser();
    return found;
  },
});

export const updateUser = keyFactory.build({
  method: "patch",
  tag: "users",
  shortDescription: "Changes a user",
  description: "Changes the given fields, and leaves the others unchanged.",
  errors: { ...missing, ...taken },
  input: userFields.partial().extend({ id }),
  output: user,
  handler: async ({ input: { id, ...changes }, ctx }) => {
    if (changes.email !== undefined && ctx.users.hasEmail(changes.email, id))
      throw emailTaken(changes.email);
    const updated = ctx.users.update(id, changes);
    if (!updated) throw noSuchUser();
    return updated;
  },
});

export const removeUser = keyFactory.buildVoid({
  method: "delete",
  tag: "users",
  shortDescription: "Deletes a user",
  errors: missing,
  input: z.object({ id }),
  handler: async ({ input, ctx }) => {
    if (!ctx.users.remove(input.id)) throw noSuchUser();
  },
});

const picture = ez
  .upload()
  .refine(({ mimetype }) => mimetype === "image/png", "Choose a PNG")
  .refine(({ size }) => size <= 5_000_000, "Choose a picture of at most 5 MB");

export const sendPicture = keyFactory.build({
  method: "post",
  tag: "users",
  shortDescription: "Sets the picture of a user",
  errors: missing,
  input: z.object({ id, picture }),
  output: user,
  handler: async ({ input: { id, picture }, ctx }) => {
    const updated = ctx.users.setPicture(id, picture.data);
    if (!updated) throw noSuchUser();
    return updated;
  },
});

export const readPicture = publicFactory.build({
  method: "get",
  tag: "users",
  shortDescription: "Reads the picture of a user",
  errors: missing,
  input: z.object({ id }),
  output: ez.buffer("image/png"),
  handler: async ({ input, ctx, response }) => {
    const found = ctx.users.findPicture(input.id);
    if (!found) throw createHttpError(404, "There is no such picture");
    // the content may be anything, whatever its declared type
    response.set("X-Content-Type-Options", "nosniff");
    return found;
  },
});

export const watchUsers = changesFactory.build({
  tag: "users",
  shortDescription: "Streams the changes to users",
  handler: async ({ ctx: { users, emit, signal } }) => {
    for await (const [change] of users.watch(signal))
      if (change.event === "saved") await emit("saved", change.user);
      else await emit("removed", { id: change.id });
  },
});

export const exportUsers = csvFactory.build({
  method: "get",
  tag: "exports",
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

/** Quotes a cell; a leading apostrophe keeps spreadsheets from running text that looks like a formula. */
const toCell = (text: string): string =>
  `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
