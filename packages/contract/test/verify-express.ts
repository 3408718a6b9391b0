import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express, { type NextFunction, type Request, type Response } from "express";

const note = {
  type: "object",
  properties: { id: { type: "integer" }, text: { type: "string" }, more: { type: "string" } },
  required: ["id", "text"],
};
const problem = {
  description: "What is wrong",
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: { message: { type: "string" } },
        required: ["message"],
      },
    },
  },
};
const toReply = (schema: object, headers: object = {}) => ({
  description: "Done",
  headers,
  content: { "application/json": { schema } },
});
const tag = { ETag: { schema: { type: "string" }, required: true } };
const body = {
  required: true,
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: {
          text: { type: "string", minLength: 1, maxLength: 20 },
          more: { type: "string", nullable: true, maxLength: 20 },
        },
        required: ["text"],
      },
    },
  },
};
const ref = { $ref: "#/components/schemas/Note" };
const toNumber = (name: string, maximum: number) => ({
  ...{ name, in: "query" },
  schema: { type: "integer", minimum: name === "limit" ? 1 : 0, maximum },
});

/** The document of the server below, as an outsider writes it: 3.0, without the statuses that HTTP has anyway. */
export const notesDocument = {
  openapi: "3.0.3",
  info: { title: "Notes", version: "1" },
  security: [{ token: [] }],
  paths: {
    "/notes": {
      get: {
        parameters: [toNumber("limit", 50), toNumber("offset", 1000)],
        responses: {
          200: toReply({
            type: "object",
            properties: { items: { type: "array", items: ref }, total: { type: "integer" } },
            required: ["items", "total"],
          }),
        },
      },
      post: {
        requestBody: body,
        responses: { 201: toReply(ref, { Location: { schema: { type: "string" } } }) },
      },
    },
    "/notes/{id}": {
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "integer", minimum: 1 } },
      ],
      get: { responses: { 200: toReply(ref, tag), "4XX": problem } },
      put: {
        parameters: [
          { name: "If-Match", in: "header", required: true, schema: { type: "string" } },
        ],
        requestBody: body,
        responses: { 200: toReply(ref, tag), default: problem },
      },
      delete: { responses: { 204: { description: "Gone" }, 404: problem } },
    },
  },
  components: {
    schemas: { Note: note },
    securitySchemes: { token: { type: "http", scheme: "bearer" } },
  },
};

interface Note {
  readonly id: number;
  text: string;
  revision: number;
}

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && Array.from(value).length <= 20;

/** Starts a server without sallyport; `spoil` may change what it does. */
export const startNotes = async (spoil: (request: Request, response: Response) => void) => {
  const notes = new Map<number, Note>();
  let count = 0;
  const add = (text: string): Note => {
    const one = { id: ++count, text, revision: 1 };
    notes.set(one.id, one);
    return one;
  };
  for (let at = 0; at < 7; at++) add(`Note ${at}`);
  const toJson = ({ id, text, revision }: Note) => ({ id, text, revision });
  const fail = (response: Response, status: number, message = "No"): void =>
    void response.status(status).json({ message });
  const app = express().set("etag", false);
  app.use((request, response, next) => {
    spoil(request, response);
    next();
  });
  app.use("/api", (request, response, next) => {
    if (request.get("authorization") === "Bearer secret") return next();
    response.set("WWW-Authenticate", "Bearer");
    return fail(response, 401);
  });
  app.use(express.json());
  const readNumber = (value: unknown, preset: number, low: number, high: number): number => {
    if (value === undefined) return preset;
    const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : NaN;
    return number >= low && number <= high ? number : NaN;
  };
  app.get("/api/notes", (request, response) => {
    const limit = readNumber(request.query["limit"], 20, 1, 50);
    const offset = readNumber(request.query["offset"], 0, 0, 1000);
    if (Number.isNaN(limit + offset)) return fail(response, 422);
    const all = [...notes.values()];
    const items = all.slice(offset, offset + limit).map(toJson);
    return void response.json({ items, total: all.length });
  });
  const readBody = ({ body: given }: Request): string | undefined => {
    const { text, more } = (given ?? {}) as { readonly text?: unknown; readonly more?: unknown };
    const isFine = more === undefined || more === null || more === "" || isText(more);
    return isText(text) && isFine && !Array.isArray(given) ? text : undefined;
  };
  app.post("/api/notes", (request, response) => {
    const text = readBody(request);
    if (text === undefined) return fail(response, 422);
    const made = add(text);
    return void response.status(201).location(`/api/notes/${made.id}`).json(toJson(made));
  });
  const find = (request: Request, response: Response): Note | undefined => {
    const { id = "" } = request.params as { readonly id?: string };
    const found = /^[1-9]\d*$/.test(id) ? notes.get(Number(id)) : undefined;
    if (!found) fail(response, /^[1-9]\d*$/.test(id) ? 404 : 400);
    return found;
  };
  const toTag = ({ revision }: Note): string => `"${revision}"`;
  app.get("/api/notes/:id", (request, response) => {
    const found = find(request, response);
    if (found) response.set("ETag", toTag(found)).json(toJson(found));
  });
  app.put("/api/notes/:id", (request, response) => {
    const found = find(request, response);
    if (!found) return;
    const match = request.get("if-match");
    const text = readBody(request);
    if (match === undefined) return fail(response, 428);
    if (match !== "*" && match !== toTag(found)) return fail(response, 412);
    if (text === undefined) return fail(response, 422);
    Object.assign(found, { text, revision: found.revision + 1 });
    response.set("ETag", toTag(found)).json(toJson(found));
  });
  app.delete("/api/notes/:id", (request, response) => {
    const found = find(request, response);
    if (!found) return;
    notes.delete(found.id);
    response.status(204).end();
  });
  app.use(
    (
      error: Error & { readonly status?: number },
      _: Request,
      response: Response,
      next: NextFunction,
    ) => {
      if (response.headersSent) return next(error);
      return fail(response, error.status ?? 500, error.message);
    },
  );
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}/api`, close };
};
