import createHttpError from "http-errors";
import {
  defaultEndpointsFactory,
  EventStreamFactory,
  ez,
  Middleware,
  problemEndpointsFactory,
  type Routing,
} from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { z } from "zod";
import type { VerifyOptions } from "../src/index.ts";

interface Note {
  readonly id: string;
  readonly owner: string;
  text: string;
  revision: number;
}

const users: Readonly<
  Record<string, { readonly name: string; readonly scopes: readonly string[] }>
> = {
  "token-ada": { name: "ada", scopes: ["notes:write"] },
  "token-bob": { name: "bob", scopes: ["notes:write"] },
  "token-eve": { name: "eve", scopes: [] },
};

const flows = {
  clientCredentials: { tokenUrl: "https://auth.example/token", scopes: { "notes:write": "Write" } },
};

const readUser = (header = "") => users[header.replace("Bearer ", "")];

const bearer = new Middleware({
  security: { type: "bearer" },
  handler: ({ request }) => {
    const user = readUser(request.get("authorization"));
    if (!user) throw createHttpError(401, "Sign in");
    return { user };
  },
});

const scoped = new Middleware({
  security: { type: "oauth2", flows },
  errors: { 403: "The scope is missing" },
  handler: ({ request, errors }) => {
    const user = readUser(request.get("authorization"));
    if (!user) throw createHttpError(401, "Sign in");
    if (!user.scopes.includes("notes:write")) throw errors[403]();
    return { user };
  },
});

const keyed = new Middleware({
  security: { type: "cookie", name: "session" },
  handler: ({ request }) => {
    const { session } = request.cookies as { readonly session?: string };
    if (session !== "s-1") throw createHttpError(401, "Sign in");
    return { user: { name: "ada" } };
  },
});

const shape = z.object({
  id: z.int(),
  name: z.string(),
  size: z.enum(["s", "m", "l"]),
  more: z.looseObject({ colour: z.string() }).optional(),
});

const noteOutput = z.object({ id: z.string(), text: z.string(), revision: z.int() });
const noteErrors = { 404: "There is no such note" } as const;

/** An API with an endpoint of each kind, which keeps to its document. */
export const createTortureApi = () => {
  const notes = new Map<string, Note>();
  const items = Array.from({ length: 7 }, (_, at) => ({ id: at, name: `Item ${at}` }));
  const boxes = [{ id: 1, name: "First" }];
  let count = 0;
  const createNote = (owner: string): Note => {
    const note = { id: `n${++count}`, owner, text: "Tea", revision: 1 };
    notes.set(note.id, note);
    return note;
  };
  const factory = defaultEndpointsFactory;
  const ofUser = factory.addMiddleware(bearer);
  const find = (id: string, { name }: { readonly name: string }): Note | undefined => {
    const note = notes.get(id);
    return note?.owner === name ? note : undefined;
  };
  const id = z.object({ id: z.string() });
  const version = ({ output: { revision } }: { output: { revision: number } }) => String(revision);

  const readShape = factory.build({
    input: z.object({ id: z.coerce.number().int().min(1).max(99) }),
    output: shape,
    handler: ({ input }) => ({
      id: input.id,
      name: "Box",
      size: "s" as const,
      more: { colour: "red" },
    }),
  });
  const search = factory.build({
    input: z.object({
      q: z.string().min(2).max(8),
      size: z.enum(["s", "m", "l"]).optional(),
      top: z.coerce.number().int().min(1).max(50).optional(),
      tag: z.array(z.string()).optional(),
      since: ez.dateIn().optional(),
    }),
    headers: z.object({ "x-client": z.string().min(2), "x-trace": z.string().max(9).optional() }),
    output: z.object({ found: z.array(shape) }),
    responseHeaders: z.object({ "x-total": z.string().regex(/^\d+$/) }),
    handler: ({ input, response }) => {
      response.set("x-total", "1");
      return { found: [{ id: 1, name: input.q, size: input.size ?? "s" }] };
    },
  });
  const createShape = factory.build({
    method: "post",
    input: z.object({
      name: z.string().min(1).max(10),
      weight: z.number().min(0).max(100).multipleOf(0.5),
      size: z.enum(["s", "m", "l"]).default("m"),
      at: z.union([
        z.object({ kind: z.literal("shelf"), row: z.int().min(1).max(9) }),
        z.object({ kind: z.literal("floor") }),
      ]),
      tags: z.array(z.string().min(1)).max(3).optional(),
      note: z.string().nullable().optional(),
      exact: z.strictObject({ depth: z.int() }).optional(),
      mail: z.email().optional(),
      counts: z.record(z.string(), z.int()).optional(),
    }),
    output: z.object({ name: z.string(), weight: z.number(), at: z.string() }),
    statusCode: 201,
    handler: ({ input }) => ({ name: input.name, weight: input.weight, at: input.at.kind }),
  });
  const range = problemEndpointsFactory.build({
    method: "post",
    input: z
      .object({ from: z.int().min(0).max(9), to: z.int().min(0).max(9) })
      .refine(({ from, to }) => from <= to, "from is after to"),
    output: z.object({ length: z.int() }),
    handler: ({ input }) => ({ length: input.to - input.from }),
  });
  const page = ez.paginated({
    style: "cursor",
    itemSchema: z.object({ id: z.int(), name: z.string() }),
    cursor: ez.cursor(z.object({ after: z.int() }), { secret: "s".repeat(32) }),
  });
  const listItems = factory.build({
    ...page,
    handler: ({ input: { limit, cursor } }) => {
      const start = cursor?.after ?? 0;
      const next = start + limit;
      return {
        items: items.slice(start, next),
        limit,
        nextCursor: next < items.length ? { after: next } : null,
      };
    },
  });
  const offsets = ez.paginated({ style: "offset", itemSchema: z.object({ id: z.int() }) });
  const listOffsets = factory.build({
    ...offsets,
    handler: ({ input: { limit, offset } }) => ({
      items: items.slice(offset, offset + limit).map((one) => ({ id: one.id })),
      ...{ total: items.length, limit, offset },
    }),
  });
  const readNote = ofUser.build({
    input: id,
    output: noteOutput,
    errors: noteErrors,
    version,
    handler: ({ input, ctx, errors }) => {
      const note = find(input.id, ctx.user);
      if (!note) throw errors[404]();
      return note;
    },
  });
  const writeNote = ofUser.build({
    method: "put",
    input: id.extend({ text: z.string().min(1).max(20) }),
    output: noteOutput,
    errors: noteErrors,
    version,
    ifMatch: "required",
    current: ({ input, ctx }) => {
      const note = find(input.id, ctx.user);
      return note && String(note.revision);
    },
    handler: ({ input, ctx, errors }) => {
      const note = find(input.id, ctx.user);
      if (!note) throw errors[404]();
      return Object.assign(note, { text: input.text, revision: note.revision + 1 });
    },
  });
  const deleteNote = ofUser.buildVoid({
    method: "delete",
    input: id,
    errors: noteErrors,
    handler: ({ input, ctx, errors }) => {
      if (!find(input.id, ctx.user)) throw errors[404]();
      notes.delete(input.id);
    },
  });
  const sendNote = factory
    .addMiddleware(scoped)
    .addMiddleware(
      idempotency({ store: memoryStore(), scope: ({ ctx }) => ctx.user.name, required: true }),
    )
    .build({
      method: "post",
      scope: "notes:write",
      input: z.object({ text: z.string().min(1) }),
      output: noteOutput,
      handler: ({ ctx, input }) => Object.assign(createNote(ctx.user.name), { text: input.text }),
    });
  const boxOutput = z.object({ id: z.int(), name: z.string() });
  const createBox = factory.build({
    method: "post",
    input: z.object({ name: z.string().min(1).max(9) }),
    output: boxOutput,
    statusCode: 201,
    responseHeaders: z.object({ location: z.string() }),
    handler: ({ input, response }) => {
      const box = { id: boxes.length + 1, name: input.name };
      boxes.push(box);
      response.set("location", `/boxes/${box.id}`);
      return box;
    },
  });
  const readBox = factory.build({
    input: z.object({ id: z.coerce.number().int().min(1).max(9999) }),
    output: boxOutput,
    errors: { 404: "There is no such box" },
    handler: ({ input, errors }) => {
      const box = boxes[input.id - 1];
      if (!box) throw errors[404]();
      return box;
    },
  });
  const readProfile = factory.addMiddleware(keyed).build({
    output: z.object({ name: z.string() }),
    handler: ({ ctx }) => ({ name: ctx.user.name }),
  });
  const upload = factory.build({
    method: "post",
    input: z.object({ file: ez.upload(), title: z.string().min(2) }),
    output: z.object({ size: z.int() }),
    handler: ({ input }) => ({ size: input.file.size }),
  });
  const raw = factory.build({
    method: "post",
    input: ez.raw().meta({ contentMediaType: "text/csv" }),
    output: z.object({ bytes: z.int() }),
    handler: ({ input }) => ({ bytes: input.raw.length }),
  });
  const form = factory.build({
    method: "post",
    input: ez.form({ name: z.string().min(2), age: z.coerce.number().int().min(0).max(150) }),
    output: z.object({ name: z.string() }),
    handler: ({ input }) => ({ name: input.name }),
  });
  const exportItems = factory.build({
    output: ez.stream("text/csv"),
    handler: async function* () {
      yield "id,name\n";
      yield "1,Box\n";
    },
  });
  const ticks = new EventStreamFactory({
    tick: z.object({ at: z.int() }),
    note: z.object({ text: z.string() }),
  });
  const watch = ticks.build({
    input: z.object({ from: z.coerce.number().int().min(0).max(5).default(0) }),
    handler: async ({ input, ctx: { emit } }) => {
      await emit("note", { text: "Hello" });
      for (let at = input.from; at < input.from + 3; at++) await emit("tick", { at });
    },
  });
  const routing = {
    shapes: { get: search, post: createShape, ":id": readShape, "post range": range },
    items: listItems,
    offsets: listOffsets,
    notes: { post: sendNote, ":id": { get: readNote, put: writeNote, delete: deleteNote } },
    boxes: { post: createBox, ":id": readBox },
    profile: readProfile,
    "post uploads": upload,
    "post raw": raw,
    "post forms": form,
    "items.csv": exportItems,
    events: watch,
  } satisfies Routing;
  const options = {
    routing,
    config: { upload: true, cookies: true },
    login: {
      bearer: { own: () => "token-ada", other: () => "token-bob" },
      oauth2: {
        own: (_client, { scopes }) => (scopes.length > 0 ? "token-ada" : "token-eve"),
        other: () => "token-bob",
      },
      sessionCookie: () => "s-1",
    },
    fixtures: {
      "/boxes/:id": () => ({ id: 1 }),
      "/notes/:id": () => ({ id: createNote("ada").id }),
    },
    seed: 1,
  } satisfies VerifyOptions;
  return options;
};
