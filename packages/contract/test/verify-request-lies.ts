import { accept, fail, tellData, when, type Lie } from "./verify-lies.ts";

const shape = { name: "Box", weight: 1, at: "floor" };
const note = { id: "n1", text: "Tea", revision: 1 };
const found = { found: [] };

const inputs: readonly Lie[] = [
  {
    name: "a missing field is accepted",
    on: "post /shapes",
    check: "negative_data_rejection",
    tell: when(/^(?!.*"name").*"weight":1,/, accept(shape, 201)),
    smallest: '{"weight":1,"at":{"kind":"shelf","row":1}}',
  },
  {
    name: "a number below the minimum is accepted",
    on: "post /shapes",
    check: "negative_data_rejection",
    tell: when('"weight":-', accept(shape, 201)),
    smallest: '{"name":"a","weight":-0.5,"at":{"kind":"shelf","row":1}}',
  },
  {
    name: "a text that is too long is accepted",
    on: "post /shapes",
    check: "negative_data_rejection",
    tell: when(/"name":".{11}"/, accept(shape, 201)),
    smallest: '"name":"aaaaaaaaaaa"',
  },
  {
    name: "an unknown member is accepted",
    on: "get /shapes",
    check: "negative_data_rejection",
    tell: when("size=no", accept(found)),
    smallest: /^\/shapes\?q=aa&size=no%20such%20member $/,
  },
  {
    name: "an unknown field is accepted",
    on: "post /shapes",
    check: "negative_data_rejection",
    tell: when("unknownField", accept(shape, 201)),
    smallest: '"exact":{"depth":1,"unknownField":"?"}',
  },
  {
    name: "malformed JSON is accepted",
    on: "post /shapes",
    check: "negative_data_rejection",
    tell: when(/ \{$/, accept(shape, 201)),
    smallest: / \{$/,
  },
  {
    name: "no arm of a union is accepted",
    on: "post /shapes",
    check: "negative_data_rejection",
    tell: when(/"no":"arm"|"at":"\?"/, accept(shape, 201)),
  },
  {
    name: "a path parameter below the minimum is accepted",
    on: "get /shapes/:id",
    check: "negative_data_rejection",
    tell: when("/0 ", accept({ id: 0, name: "", size: "s" })),
    smallest: "/shapes/0",
  },
  {
    name: "a field of a form below the minimum is accepted",
    on: "post /forms",
    check: "negative_data_rejection",
    tell: when("age=-1", accept({ name: "" })),
    smallest: "name=aa&age=-1",
  },
  {
    name: "a missing file is accepted",
    on: "post /uploads",
    check: "negative_data_rejection",
    tell: when(/^(?!.*filename).*title/s, accept({ size: 0 })),
  },
  {
    name: "a missing body is accepted",
    on: "post /shapes",
    check: "negative_data_rejection",
    ask: ({ headers: fields }, response) => {
      if (fields["content-type"] !== undefined) return false;
      response.status(201).json({ status: "success", data: shape });
      return true;
    },
    smallest: "/shapes ",
  },
  {
    name: "an invalid address is accepted",
    on: "post /shapes",
    check: "negative_data_rejection",
    tell: when('"mail":"?"', accept(shape, 201)),
    smallest: '"mail":"?"}',
  },
  {
    name: "a fraction is accepted",
    on: "get /items",
    check: "negative_data_rejection",
    tell: when("limit=1.5", accept({ items: [], limit: 1, nextCursor: null })),
    smallest: "/items?limit=1.5",
  },
  {
    name: "a member is refused",
    on: "get /shapes",
    check: "positive_data_acceptance",
    tell: when("size=l", fail(400)),
    smallest: /^\/shapes\?q=aa&size=l $/,
  },
  {
    name: "the minimum is refused",
    on: "post /shapes",
    check: "positive_data_acceptance",
    tell: when(/"weight":0[,}]/, fail(400)),
    smallest: '{"name":"a","weight":0,"at":{"kind":"shelf","row":1}}',
  },
  {
    name: "the largest array is refused",
    on: "post /shapes",
    check: "positive_data_acceptance",
    tell: when(/"tags":\[[^,\]]*,[^,\]]*,/, fail(400)),
    smallest: /"row":1\},"tags":\["a","[^"\\]*\\?"?[^"]*","a"\]\}$/,
  },
  {
    name: "the largest page is refused",
    on: "get /items",
    check: "positive_data_acceptance",
    tell: when("limit=100", fail(400)),
    smallest: "/items?limit=100",
  },
  {
    name: "an undeclared type is accepted",
    on: "post /shapes",
    check: "unsupported_media_type",
    tell: accept(shape, 201, 415),
  },
];

const headers: readonly Lie[] = [
  {
    name: "a missing header field is accepted",
    on: "get /shapes",
    check: "missing_required_header",
    ask: (request) => void (request.headers["x-client"] ??= "aa"),
    smallest: /^\/shapes\?q=aa $/,
  },
  {
    name: "a missing If-Match is accepted",
    on: "put /notes/:id",
    check: "missing_required_header",
    ask: (request) => void (request.headers["if-match"] ??= "*"),
  },
  {
    name: "a missing key is accepted",
    on: "post /notes",
    check: "missing_required_header",
    ask: (request) => void (request.headers["idempotency-key"] ??= "k"),
  },
  {
    name: "a stale If-Match is accepted",
    on: "put /notes/:id",
    check: "conditional_write",
    ask: (request) => {
      if (request.headers["if-match"]) request.headers["if-match"] = "*";
    },
  },
  {
    name: "a known ETag is ignored",
    on: "get /notes/:id",
    check: "conditional_read",
    ask: (request) => void delete request.headers["if-none-match"],
  },
  {
    name: "a repeated request gets another reply",
    on: "post /notes",
    check: "idempotent_replay",
    ask: (request) => {
      if (request.headers["idempotency-key"])
        request.headers["idempotency-key"] = String(Math.random());
    },
  },
  {
    name: "a repeated request is not marked",
    on: "post /notes",
    check: "idempotent_replay",
    tell: (reply) => void delete reply.headers["idempotency-replayed"],
  },
  {
    name: "another request with a used key is accepted",
    on: "post /notes",
    check: "idempotent_replay",
    tell: accept(note, 200, 422),
  },
];

const access: readonly Lie[] = [
  {
    name: "nobody is let in",
    on: "get /profile",
    check: "ignored_auth",
    ask: ({ cookies }) => void Object.assign(cookies as object, { session: "s-1" }),
    smallest: "/profile",
  },
  {
    name: "any token is let in",
    on: "get /notes/:id",
    check: "ignored_auth",
    ask: ({ headers: fields }) => {
      if (fields.authorization?.includes("Z2Fy")) fields.authorization = "Bearer token-ada";
    },
  },
  {
    name: "any cookie is let in",
    on: "get /profile",
    check: "ignored_auth",
    ask: ({ cookies }) => {
      if ("session" in (cookies as object)) Object.assign(cookies as object, { session: "s-1" });
    },
  },
  {
    name: "another's note is read",
    on: "get /notes/:id",
    check: "ignored_owner",
    ask: ({ headers: fields }) => {
      if (fields.authorization) fields.authorization = fields.authorization.replace("bob", "ada");
    },
  },
  {
    name: "another's note is deleted",
    on: "delete /notes/:id",
    check: "ignored_owner",
    ask: ({ headers: fields }) => {
      if (fields.authorization) fields.authorization = fields.authorization.replace("bob", "ada");
    },
  },
  {
    name: "a scope is ignored",
    on: "post /notes",
    check: "ignored_scopes",
    ask: ({ headers: fields }) => {
      if (fields.authorization) fields.authorization = fields.authorization.replace("eve", "ada");
    },
  },
  {
    name: "an undeclared method works",
    on: "get /profile",
    also: "delete /profile",
    check: "unsupported_method",
    ask: (_request, response) => {
      response.json({});
      return true;
    },
  },
  {
    name: "Allow names too much",
    on: "get /profile",
    also: "any /profile",
    check: "unsupported_method",
    tell: (reply) => {
      if (reply.status === 405) reply.headers["allow"] = "GET, HEAD, DELETE";
    },
  },
  {
    name: "Allow names too little",
    on: "get /shapes",
    also: "any /shapes",
    check: "unsupported_method",
    tell: (reply) => {
      if (reply.status === 405) reply.headers["allow"] = "GET, HEAD";
    },
  },
  {
    name: "Allow is missing",
    on: "get /profile",
    also: "any /profile",
    check: "unsupported_method",
    tell: (reply) => {
      if (reply.status === 405) delete reply.headers["allow"];
    },
  },
  {
    name: "404 for 405",
    on: "get /profile",
    also: "any /profile",
    check: "unsupported_method",
    tell: (reply) => {
      if (reply.status === 405) fail(404)(reply, null as never, "");
    },
  },
];

let cursors = 0;
const pages: readonly Lie[] = [
  {
    name: "a cursor comes again",
    on: "get /items",
    check: "pages_end",
    tell: tellData((data) => (data["nextCursor"] = "again")),
    ask: (request) => void (request.url = request.url.replace("cursor=again", "")),
  },
  {
    name: "there is always another page",
    on: "get /items",
    check: "pages_end",
    tell: tellData((data) =>
      Object.assign(data, { nextCursor: `c${++cursors}`, items: [{ id: cursors, name: "" }] }),
    ),
    ask: (request) => void (request.url = request.url.replace(/cursor=c\d+/, "")),
  },
  {
    name: "the offset is ignored",
    on: "get /offsets",
    check: "pages_end",
    ask: (request) => void (request.url = request.url.replace("offset=", "other=")),
  },
  {
    name: "the total is too large",
    on: "get /offsets",
    check: "pages_total",
    tell: tellData((data) => (data["total"] = 99)),
  },
  {
    name: "a page is larger than its limit",
    on: "get /offsets",
    check: "pages_end",
    ask: (request) => void (request.url = request.url.replace("limit=2", "limit=5")),
  },
  {
    name: "what was deleted is still there",
    on: "delete /notes/:id",
    check: "use_after_free",
    ask: (request, response) => {
      if (request.headers.authorization !== "Bearer token-ada") return false;
      response.json({ status: "success", data: {} });
      return true;
    },
  },
];

/** Requests that are not treated as declared. */
export const requestLies: readonly Lie[] = [...inputs, ...headers, ...access, ...pages];
