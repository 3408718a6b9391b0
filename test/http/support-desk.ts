import { fileURLToPath } from "node:url";
import type { Response } from "express";
import createHttpError from "http-errors";
import {
  createConfig,
  defaultEndpointsFactory,
  defaultResultHandler,
  EventStreamFactory,
  ez,
  Middleware,
  problemResultHandler,
  type Routing,
} from "sallyport";
import { z } from "zod";

/** The key of the support desk. */
export const deskKey = "desk-key";

/** The tickets that every desk begins with, by id. */
export const ids = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);

const id = z.uuid();
const ticket = z
  .object({ id, subject: z.string(), changedAt: ez.dateOut() })
  .meta({ id: "Ticket" });
const pages = ez.paginated({ style: "offset", itemSchema: ticket, itemsName: "tickets" });
const changes = z.object({ id, subject: z.string().min(1), urgent: z.boolean().optional() });
const tag = z.string().regex(/^"\d+"$/);
const responseHeaders = z.object({ etag: tag.describe("The version of the ticket.") });
const conflict = z.object({ current: z.string(), changedAt: z.date() });
const types = { notes: "text/plain", data: "application/json", photo: "image/png" };
const file = z.object({ id, name: z.enum(["notes", "data", "photo"]) });
const missing = { 404: "There is no such ticket" };
const errors = { ...missing, 412: { description: "The ticket has changed", schema: conflict } };

const key = new Middleware({
  security: { type: "header", name: "x-desk-key" },
  handler: async ({ request }) => {
    if (request.get("x-desk-key") !== deskKey) throw createHttpError(401, "Who are you?");
    return { agent: "Ada" };
  },
});
const team = new Middleware({
  headers: z.object({ "x-team": z.enum(["red", "blue"]).default("red") }),
  handler: async ({ headers }) => ({ team: headers["x-team"] }),
});
const v1 = defaultEndpointsFactory.addMiddleware(key);
const v2 = v1.addMiddleware(team).withResultHandler(problemResultHandler);
const watching = new EventStreamFactory({ changed: ticket }, { factory: v2 });

/** Creates the API of a support desk with tickets of its own: two versions, with two envelopes. */
export const createDesk = () => {
  const tickets = new Map(
    ids.map((one, at) => [
      one,
      { id: one, subject: `Ticket ${at + 1}`, changedAt: new Date(0), version: 1 },
    ]),
  );
  const find = (wanted: string) => {
    const found = tickets.get(wanted);
    if (!found) throw createHttpError(404, "There is no such ticket");
    return found;
  };
  const show = (wanted: string, response: Response) => {
    response.set("ETag", `"${find(wanted).version}"`);
    return find(wanted);
  };
  const change = (given: z.output<typeof changes>, match = "*"): void => {
    const { version, changedAt } = find(given.id);
    if (match !== "*" && match !== `"${version}"`)
      throw createHttpError(412, "Changed", { data: { current: `"${version}"`, changedAt } });
    tickets.set(given.id, { ...given, changedAt: new Date(), version: version + 1 });
  };
  const one = z.object({ id });
  const routing = {
    "v1/tickets": {
      get: v1.build({
        ...pages,
        handler: async ({ input: { limit, offset } }) => ({
          tickets: [...tickets.values()].slice(offset, offset + limit),
          ...{ total: tickets.size, limit, offset },
        }),
      }),
      ":id": {
        get: v1.build({
          ...{ input: one, output: ticket, responseHeaders, errors: missing },
          handler: async ({ input, response }) => show(input.id, response),
        }),
        put: v1.build({
          ...{ method: "put", input: changes, output: ticket, responseHeaders, errors },
          headers: z.object({ "if-match": tag.optional() }),
          handler: async ({ input, headers, response }) => {
            change(input, headers["if-match"]);
            return show(input.id, response);
          },
        }),
      },
    },
    "v2/tickets/:id": {
      get: v2.build({
        ...{ input: one, output: ticket, errors: missing },
        responseHeaders: responseHeaders.extend({ "x-team": z.string().optional() }),
        handler: async ({ input, ctx: { team: name }, response }) => {
          const shown = show(input.id, response);
          if (name === "blue") response.set("X-Team", name);
          return shown;
        },
      }),
      put: v2.build({
        ...{ method: "put", input: changes, output: ticket, responseHeaders, errors },
        headers: z.object({ "if-match": z.union([z.literal("*"), tag]) }),
        handler: async ({ input, headers, response }) => {
          change(input, headers["if-match"]);
          return show(input.id, response);
        },
      }),
      "files/:name": v2.build({
        ...{ input: file, output: ez.file("*/*"), errors: missing },
        handler: async ({ input, response }) => {
          find(input.id);
          response.type(types[input.name]);
          return fileURLToPath(import.meta.url);
        },
      }),
      watch: watching.build({
        ...{ input: one, errors: missing },
        headers: z.object({ "last-event-id": z.string().optional() }),
        handler: async ({ input, headers, ctx: { emit } }) => {
          const { version, ...found } = find(input.id);
          const subject = `${found.subject} after ${headers["last-event-id"] ?? "none"}`;
          await emit("changed", { ...found, subject }, { id: String(version) });
        },
      }),
    },
  } satisfies Routing;
  const config = createConfig({
    http: { listen: 1 },
    cors: false,
    errorHandler: { "/v2": problemResultHandler, "/": defaultResultHandler },
  });
  return { routing, config };
};
