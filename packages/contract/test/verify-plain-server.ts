import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { toText, type JsonObject } from "@sallyport/document";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import express, { type NextFunction, type Request, type Response } from "express";
import { generateOpenApi } from "sallyport/openapi";
import { createTortureApi } from "./verify-api.ts";

type Operation = {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: JsonObject }>> };
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  responses: Record<string, unknown>;
};
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: JsonObject;
}

/** Says that objects have no fields that they do not name, as outsiders must. */
const close = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && "properties" in value
    ? { additionalProperties: false, ...value }
    : value;

const closed = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value), close) as Value;

/** Whether replies have no envelope, and errors are problem details. */
const isProblem = (path: string): boolean => path === "/shapes/range";

const message = { type: "string" };
const problem = closed({ type: "object", properties: { status: {}, title: message } });
const envelope = closed({
  type: "object",
  properties: { status: { const: "error" }, error: { type: "object", properties: { message } } },
});

/** The document of the torture API as that of any server: with errors of its own, and the few that clients must know. */
const toDocument = (): Document => {
  const { routing, config } = createTortureApi();
  const given = generateOpenApi({ routing, config, info: { title: "Plain", version: "1" } });
  const document = JSON.parse(JSON.stringify(given)) as Document;
  for (const [path, item] of Object.entries(document.paths))
    for (const operation of Object.values(item)) {
      const error = {
        description: "An error",
        content: isProblem(path)
          ? { "application/problem+json": { schema: problem } }
          : { "application/json": { schema: envelope } },
      };
      const { responses } = operation;
      const statuses = [...Object.keys(responses), ...(isProblem(path) ? ["409"] : [])];
      operation.responses = Object.fromEntries(
        statuses
          .filter((status) => !["413", "415", "500", "503"].includes(status))
          .map((status) => [status, status < "400" ? closed(responses[status]) : error]),
      );
    }
  return document;
};

export const plainDocument = toDocument();

interface Note {
  readonly id: string;
  readonly owner: string;
  text: string;
  revision: number;
}

type Fields = Record<string, unknown>;

/** The fields of a request, as the document describes them. */
interface Input {
  readonly path: Fields;
  readonly query: Fields;
  readonly header: Fields;
  readonly body: Fields;
  readonly user: string;
  readonly response: Response;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: unknown;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

const users: Readonly<Record<string, string>> = {
  "Bearer token-ada": "ada",
  "Bearer token-bob": "bob",
  "Bearer token-eve": "eve",
};

const toHandlers = (): Readonly<Record<string, (input: Input) => Answer | Promise<Answer>>> => {
  const notes = new Map<string, Note>();
  const replies = new Map<string, { readonly text: string; readonly data: Note }>();
  const boxes = ["First"];
  const items = Array.from({ length: 7 }, (_, at) => ({ id: at, name: `Item ${at}` }));
  const find = ({ path, user }: Input): Note => {
    const note = notes.get(String(path["id"]));
    if (note?.owner !== user) throw new Refusal(404, "There is no such note");
    return note;
  };
  const toShown = ({ id, text, revision }: Note) => ({ id, text, revision });
  const toTag = ({ revision }: Note): string => `"${revision}"`;
  const toNote = (note: Note): Answer => ({
    headers: { etag: toTag(note) },
    data: toShown(note),
  });
  const size = "s";
  const readFrom = (cursor: unknown): number => {
    if (cursor === undefined) return 0;
    const after = Number(Buffer.from(toText(cursor), "base64url").toString());
    if (!(after > 0)) throw new Refusal(400, "cursor: Unknown");
    return after;
  };
  return {
    "get /shapes": ({ query }) => ({
      headers: { "x-total": "1" },
      data: { found: [{ id: 1, name: query["q"], size: query["size"] ?? size }] },
    }),
    "get /shapes/{id}": ({ path }) => ({
      data: { id: Number(path["id"]), name: "Box", size, more: { colour: "red" } },
    }),
    "post /shapes": ({ body: { name, weight, at } }) => ({
      ...{ status: 201, data: { name, weight, at: (at as Fields)["kind"] } },
    }),
    "post /shapes/range": ({ body }) => {
      const length = Number(body["to"]) - Number(body["from"]);
      if (length < 0) throw new Refusal(409, "from is after to");
      return { data: { length } };
    },
    "get /items": ({ query }) => {
      const limit = Number(query["limit"] ?? 20);
      const start = readFrom(query["cursor"]);
      const next = start + limit;
      const nextCursor =
        next < items.length ? Buffer.from(String(next)).toString("base64url") : null;
      return { data: { items: items.slice(start, next), limit, nextCursor } };
    },
    "get /offsets": ({ query }) => {
      const limit = Number(query["limit"] ?? 20);
      const offset = Number(query["offset"] ?? 0);
      const page = items.slice(offset, offset + limit).map(({ id }) => ({ id }));
      return { data: { items: page, total: items.length, limit, offset } };
    },
    "post /notes": async ({ body, header, user }) => {
      if (user === "eve") throw new Refusal(403, "The scope is missing");
      const key = `${user} ${toText(header["idempotency-key"])}`;
      const text = String(body["text"]);
      const known = replies.get(key);
      if (known && known.text !== text) throw new Refusal(422, "The key is used");
      if (known) return { data: known.data };
      const note = { id: `n${notes.size + 1}-${user}`, owner: user, text, revision: 1 };
      notes.set(note.id, note);
      const data = toShown(note) as Note;
      replies.set(key, { text, data });
      return { data };
    },
    "get /notes/{id}": (input) => toNote(find(input)),
    "put /notes/{id}": (input) => {
      const note = find(input);
      const tag = input.header["if-match"];
      if (tag !== "*" && tag !== toTag(note)) throw new Refusal(412, "Another version");
      note.text = String(input.body["text"]);
      note.revision++;
      return toNote(note);
    },
    "delete /notes/{id}": (input) => {
      notes.set(find(input).id, { ...find(input), owner: "" });
      return { data: {} };
    },
    "post /boxes": ({ body }) => {
      const id = boxes.push(String(body["name"]));
      return {
        status: 201,
        headers: { location: `/boxes/${id}` },
        data: { id, name: body["name"] },
      };
    },
    "get /boxes/{id}": ({ path }) => {
      const name = boxes[Number(path["id"]) - 1];
      if (name === undefined) throw new Refusal(404, "There is no such box");
      return { data: { id: Number(path["id"]), name } };
    },
    "get /profile": ({ user }) => ({ data: { name: user } }),
    "post /uploads": ({ body }) => ({ data: { size: String(body["file"]).length } }),
    "post /raw": ({ body }) => ({ data: { bytes: toText(body).length } }),
    "post /forms": ({ body }) => ({ data: { name: body["name"] } }),
    "get /items.csv": ({ response }) => {
      response.type("text/csv").send("id,name\n1,Box\n");
      return {};
    },
    "get /events": ({ query, response }) => {
      const from = Number(query["from"] ?? 0);
      const ticks = [0, 1, 2].map((at) => `event: tick\ndata: {"at":${from + at}}\n\n`);
      response.set("content-type", "text/event-stream");
      response.end(`event: note\ndata: {"text":"Hello"}\n\n${ticks.join("")}`);
      return {};
    },
  };
};

/** Reads the fields of a multipart body as `verify` writes it. */
const readParts = (text: string): Fields =>
  Object.fromEntries(
    text
      .split(/--sallyport-verify(?:--)?\r\n/)
      .map((part) => part.replace(/\r\n$/, "").split(/\r\n\r\n(.*)/s))
      .flatMap(([head = "", value]) => {
        const [, name] = /name="([^"]*)"/.exec(head) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value]];
      }),
  );

const toRoute = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** Starts a plain Express server that keeps to the document; a native middleware may change what it does. */
export const startPlain = async (
  spoil?: (request: Request, response: Response, next: () => void) => void,
) => {
  const ajv = new Ajv2020({ strict: false, logger: false });
  const coercing = new Ajv2020({ strict: false, logger: false, coerceTypes: "array" });
  for (const one of [ajv, coercing]) {
    (addFormats as unknown as (ajv: Ajv2020) => void)(one);
    one.addFormat("binary", true);
  }
  const handlers = toHandlers();
  const app = express().set("etag", false).set("query parser", "simple");
  app.use((request: Request, _response: Response, next: NextFunction) => {
    const [, session] = /\bsession=([^;]+)/.exec(request.headers.cookie ?? "") ?? [];
    request.cookies = session === undefined ? {} : { session };
    next();
  });
  if (spoil) app.use(spoil);
  app.use(express.json(), express.urlencoded({ extended: false }));
  app.use(express.text({ type: ["multipart/form-data", "text/csv"] }));

  const readUser = ({ security = [] }: Operation, request: Request): string => {
    const names = security.flatMap((one) => Object.keys(one));
    const { session } = request.cookies as { readonly session?: string };
    const user = names.includes("sessionCookie")
      ? session === "s-1" && "ada"
      : users[request.headers.authorization ?? ""];
    if (names.length > 0 && !user) throw new Refusal(401, "Sign in");
    return user || "";
  };
  const check = (name: string, schema: object, value: unknown, isText: boolean): void => {
    const validate = (isText ? coercing : ajv).compile(schema);
    if (validate(value)) return;
    const [error] = validate.errors ?? [];
    const at = error?.instancePath.slice(1) || error?.params["missingProperty"] || name;
    throw new Refusal(400, `${at}: ${error?.message}`);
  };
  const readInput = (operation: Operation, request: Request, response: Response): Input => {
    const user = readUser(operation, request);
    const parts: Record<string, Fields> = {
      path: { ...request.params },
      query: { ...request.query },
      header: { ...request.headers },
    };
    for (const [place, fields] of Object.entries(parts)) {
      const own = (operation.parameters ?? []).filter((one) => one.in === place);
      const properties = Object.fromEntries(
        own.map((one) => [one.name, Reflect.get(one, "schema")]),
      );
      const required = own.filter((one) => Reflect.get(one, "required")).map(({ name }) => name);
      check(place, { type: "object", properties, required }, fields, true);
    }
    const [first] = Object.entries(operation.requestBody?.content ?? {});
    let body: unknown = request.body;
    if (first) {
      const [type, { schema }] = first;
      if (request.headers["content-type"] !== undefined && !request.is(type))
        throw new Refusal(415, `Send ${type}`);
      if (type.startsWith("multipart")) body = readParts(toText(body));
      else if (body === undefined) throw new Refusal(400, "body: Required");
      if (type !== "text/csv") check("body", schema, body, !type.includes("json"));
    }
    const { path = {}, query = {}, header = {} } = parts;
    return { path, query, header, body: body as Fields, user, response };
  };
  const paths = Object.entries(plainDocument.paths);
  for (const [path, item] of paths)
    for (const [method, operation] of Object.entries(item))
      app[method as "get"](toRoute(path), async (request: Request, response: Response) => {
        const input = readInput(operation, request, response);
        const answer = (await handlers[`${method} ${path}`]?.(input)) ?? {};
        const { status = 200, headers = {}, data } = answer;
        if (data !== undefined)
          response
            .status(status)
            .set(headers)
            .json(isProblem(path) ? data : { status: "success", data });
      });
  app.use(({ path }: Request, response: Response) => {
    const served = paths.filter(([one]) =>
      new RegExp(`^${one.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
    );
    if (served.length === 0) throw new Refusal(404, "Nothing is here");
    const methods = served.flatMap(([, item]) => Object.keys(item));
    response.set("allow", methods.map((one) => one.toUpperCase()).join(", "));
    throw new Refusal(405, "Not allowed");
  });
  app.use(
    (
      { status = 500, message: text }: Error & { readonly status?: number },
      { path }: Request,
      response: Response,
      _next: NextFunction,
    ) => {
      response.status(status);
      if (isProblem(path)) response.type("application/problem+json");
      response.json(
        isProblem(path) ? { status, title: text } : { status: "error", error: { message: text } },
      );
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
  return { url: `http://127.0.0.1:${port}`, close };
};
