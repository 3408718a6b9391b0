import { setTimeout } from "node:timers/promises";
import { tellData, type Lie } from "./verify-lies.ts";

type Ask = NonNullable<Lie["ask"]>;
type Tell = NonNullable<Lie["tell"]>;

/** Changes a header field of successful replies. */
const tellHeader =
  (name: string, change: (value: string) => string): Tell =>
  ({ status, headers }) => {
    if (status < 300) headers[name] = change(headers[name] ?? "");
  };

/** Lets the second one of two requests at once pass where the first one does, because of a slow check. */
const letBothPass = (name: "if-match" | "idempotency-key", toOther: () => string): Ask => {
  const running = new Set<string>();
  return async ({ headers }, response) => {
    const value = headers[name];
    if (typeof value !== "string" || value === "*") return;
    if (running.has(value)) headers[name] = toOther();
    running.add(value);
    response.once("close", () => running.delete(value));
    await setTimeout(15);
  };
};

const toWriteLies = (): readonly Lie[] => {
  const tags = new Set<string>();
  const keys = new Map<string, string>();
  return [
    {
      name: "the tag is always the same",
      on: "put /notes/:id",
      also: "any /notes/:id",
      check: "lost_update",
      ask: ({ headers }) => {
        if (headers["if-match"] === '"1"') headers["if-match"] = "*";
      },
      tell: tellHeader("etag", () => '"1"'),
    },
    {
      name: "a tag of any earlier version is taken",
      on: "put /notes/:id",
      also: "any /notes/:id",
      check: "lost_update",
      ask: ({ headers }) => {
        if (tags.has(headers["if-match"] ?? "")) headers["if-match"] = "*";
      },
      tell: tellHeader("etag", (tag) => {
        tags.add(tag);
        return tag;
      }),
    },
    {
      name: "of two writes at once, both are carried out",
      on: "put /notes/:id",
      check: "lost_update",
      ask: letBothPass("if-match", () => "*"),
    },
    {
      name: "of two requests with a key at once, both are carried out",
      on: "post /notes",
      check: "concurrent_replay",
      ask: letBothPass("idempotency-key", () => String(Math.random())),
    },
    {
      name: "the reply to another is replayed",
      on: "post /notes",
      check: "ignored_key_owner",
      ask: ({ headers }) => {
        const { authorization, "idempotency-key": key } = headers;
        if (!authorization || typeof key !== "string") return;
        headers.authorization = keys.get(key) ?? authorization;
        if (!authorization.includes("Z2Fy")) keys.set(key, headers.authorization);
      },
    },
    {
      name: "the reply to another is replayed, and not marked",
      on: "post /notes",
      check: "ignored_key_owner",
      ask: ({ headers }) => {
        const { authorization, "idempotency-key": key } = headers;
        if (!authorization || typeof key !== "string") return;
        headers.authorization = keys.get(key) ?? authorization;
        if (!authorization.includes("Z2Fy")) keys.set(key, headers.authorization);
      },
      tell: (reply) => void delete reply.headers["idempotency-replayed"],
    },
  ];
};

const pages: readonly Lie[] = [
  {
    name: "pages overlap by an offset",
    on: "get /offsets",
    check: "pages_overlap",
    ask: (request) => {
      request.url = request.url.replace(
        /offset=(\d+)/,
        (_, offset) => `offset=${Math.max(0, Number(offset) - 1)}`,
      );
    },
  },
  {
    name: "pages overlap behind a cursor",
    on: "get /items",
    check: "pages_overlap",
    tell: tellData((data, request) => {
      const items = data["items"] as object[];
      if (request.originalUrl.includes("cursor=")) items.splice(0, 1, { id: 1, name: "Item 1" });
    }),
  },
  {
    name: "the total is too small",
    on: "get /offsets",
    check: "pages_total",
    tell: tellData((data) => (data["total"] = 5)),
  },
  {
    name: "the total is that of the page",
    on: "get /offsets",
    check: "pages_total",
    tell: tellData((data) => (data["total"] = (data["items"] as object[]).length)),
  },
];

const reads: readonly Lie[] = [
  {
    name: "HEAD is not served",
    on: "get /shapes/:id",
    also: "head /shapes/:id",
    check: "head_like_get",
    tell: (reply) => void (reply.status = 404),
  },
  {
    name: "HEAD has another type",
    on: "get /profile",
    also: "head /profile",
    check: "head_like_get",
    tell: tellHeader("content-type", () => "text/plain"),
  },
  {
    name: "HEAD has another tag",
    on: "get /notes/:id",
    also: "head /notes/:id",
    check: "head_like_get",
    tell: tellHeader("etag", () => '"0"'),
  },
  {
    name: "Location leads nowhere",
    on: "post /boxes",
    check: "location",
    tell: tellHeader("location", (location) => `${location}000`),
  },
  {
    name: "Location leads to something else",
    on: "post /boxes",
    check: "location",
    tell: tellHeader("location", () => "http://api.example/boxes/1"),
  },
  {
    name: "another charset",
    on: "get /profile",
    check: "charset",
    tell: tellHeader("content-type", () => "application/json; charset=iso-8859-1"),
  },
  {
    name: "bytes that are no UTF-8",
    on: "get /items.csv",
    check: "charset",
    tell: (reply) => void Object.assign(reply, { body: "id,name\n1,Käse\n", encoding: "latin1" }),
  },
  {
    name: "an error with its stack",
    on: "get /shapes/:id",
    check: "stack_trace",
    tell: (reply) => {
      if (reply.status < 400) return;
      const { error } = JSON.parse(reply.body) as { error: object };
      const message = "No\n    at Object.<anonymous> (/srv/app/api.js:12:3)";
      reply.body = JSON.stringify({ status: "error", error: { ...error, message } });
    },
  },
  {
    name: "an error with the path of a module",
    on: "get /profile",
    check: "stack_trace",
    tell: (reply) => {
      if (reply.status < 400) return;
      const { error } = JSON.parse(reply.body) as { error: object };
      const message = "Cannot find /srv/node_modules/sessions/index.js";
      reply.body = JSON.stringify({ status: "error", error: { ...error, message } });
    },
  },
  {
    name: "a private reply is public",
    on: "get /profile",
    check: "public_cache",
    tell: tellHeader("cache-control", () => "public, max-age=60"),
  },
  {
    name: "a private reply is kept by proxies",
    on: "get /notes/:id",
    check: "public_cache",
    tell: tellHeader("cache-control", () => "max-age=0, s-maxage=60"),
  },
];

/** Lies that take several requests to see, and what no reply may have. */
export const toStateLies = (): readonly Lie[] => [...toWriteLies(), ...pages, ...reads];
