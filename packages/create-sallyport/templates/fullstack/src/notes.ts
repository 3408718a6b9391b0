import { defaultEndpointsFactory, ez } from "sallyport";
import { z } from "zod";
import { database } from "./database.ts";

/** Everybody may read and write the notes; behind a middleware with `security`, only those who log in. */
const publicFactory = defaultEndpointsFactory.withAccess("public");

const note = z
  .object({ id: z.number().int(), text: z.string(), createdAt: ez.dateOut() })
  .meta({ id: "Note" });

type Note = z.input<typeof note>;

const columns = 'id, text, created_at as "createdAt"';

export const listNotes = publicFactory.build({
  shortDescription: "Lists the notes, the latest first",
  output: z.object({ notes: z.array(note) }),
  handler: async () => {
    const { rows } = await database().query<Note>(
      `select ${columns} from notes order by id desc limit 100`,
    );
    return { notes: rows };
  },
});

export const addNote = publicFactory.build({
  shortDescription: "Adds a note",
  statusCode: 201,
  errors: { taken: { status: 409, description: "There is a note with this text" } },
  input: z.object({ text: z.string().trim().min(1).max(200) }),
  output: note,
  handler: async ({ input: { text }, errors }) => {
    const { rows } = await database().query<Note>(
      `insert into notes (text) values ($1) on conflict do nothing returning ${columns}`,
      [text],
    );
    const [added] = rows;
    if (!added) throw errors.taken();
    return added;
  },
});

export const removeNote = publicFactory.buildVoid({
  shortDescription: "Removes a note",
  errors: { notFound: { status: 404, description: "There is no such note" } },
  input: z.object({ id: z.coerce.number<string | number>().int() }),
  handler: async ({ input: { id }, errors }) => {
    const { affectedRows } = await database().query("delete from notes where id = $1", [id]);
    if (!affectedRows) throw errors.notFound();
  },
});
