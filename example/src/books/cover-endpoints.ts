import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { ez } from "sallyport";
import { z } from "zod";
import { books } from "../database/tables.ts";
import { environment } from "../environment.ts";
import { adminFactory, publicFactory } from "../factories.ts";
import { book, bookId, noBook } from "./book-schemas.ts";
import { findBook, toBook } from "./find-books.ts";

const tag = "covers";
const folder = join(environment.DATA_FOLDER, "covers");

/** The bytes with which pictures begin, by the extension of their files. */
const beginnings = [
  ["png", /^\x89PNG\r\n/],
  ["jpg", /^\xff\xd8\xff/],
  ["webp", /^RIFF[^]{4}WEBP/],
] as const;

/** Finds the kind of a picture by its content: its name and its declared type are the client's words. */
const findExtension = (data: Buffer): string | undefined =>
  beginnings.find(([, pattern]) => pattern.test(data.toString("latin1", 0, 12)))?.[0];

export const sendCover = adminFactory.build({
  method: "put",
  tag,
  shortDescription: "Sets the cover of a book",
  errors: noBook,
  inputSources: ["body", "params", "files"],
  upload: { limits: { files: 1, fileSize: 2_097_152, memory: 2_097_152 } },
  input: z.object({
    id: bookId,
    cover: ez
      .upload()
      .refine(
        ({ data }) => findExtension(data) !== undefined,
        "Choose a PNG, JPEG or WebP picture",
      ),
  }),
  output: book,
  handler: async ({ input: { id, cover }, ctx: { db }, errors }) => {
    const hash = createHash("sha256").update(cover.data).digest("hex");
    const file = `${hash}.${findExtension(cover.data)}`;
    await mkdir(folder, { recursive: true });
    // equal covers are one file, which nothing changes or deletes
    await cover.mv(join(folder, file));
    const [changed] = await db
      .update(books)
      .set({ cover: file, version: sql`${books.version} + 1` })
      .where(eq(books.id, id))
      .returning();
    if (!changed) throw errors.noBook();
    return toBook(changed);
  },
});

export const readCover = publicFactory.addMiddleware(findBook).build({
  tag,
  shortDescription: "Reads the cover of a book",
  errors: { noCover: { status: 404, description: "The book has no cover" } },
  input: z.object({
    file: z
      .string()
      .optional()
      .describe("Changes with the cover")
      .meta({ examples: ["5f2b.png"] }),
  }),
  output: ez.file(),
  handler: async ({ ctx: { row }, errors }) => {
    if (row.cover === null) throw errors.noCover();
    return { path: row.cover, root: folder, maxAge: 60 };
  },
});
