import { accept, fail, tellData, when, type Lie } from "./verify-lies.ts";

const shape = { name: "Box", weight: 1, at: "floor" };
const note = { id: "n1", text: "Tea", revision: 1 };
const found = { found: [] };

const statuses: readonly Lie[] = [
  { name: "another success", on: "get /shapes/:id", check: "status_code_conformance", tell: (reply) => void (reply.status = reply.status === 200 ? 202 : reply.status) },
  { name: "an undeclared 404", on: "get /shapes/:id", check: "status_code_conformance", tell: when("/99", fail(404)), smallest: "/shapes/99" },
  { name: "200 for 201", on: "post /shapes", check: "status_code_conformance", tell: (reply) => void (reply.status = reply.status === 201 ? 200 : reply.status) },
  { name: "204 without a body", on: "post /forms", check: "status_code_conformance", tell: (reply) => void Object.assign(reply, reply.status === 200 ? { status: 204, body: "" } : {}) },
  { name: "403 for 401", on: "get /profile", check: "status_code_conformance", tell: (reply) => void (reply.status = reply.status === 401 ? 403 : reply.status) },
  { name: "410 for 404", on: "delete /notes/:id", check: "status_code_conformance", tell: (reply) => void (reply.status = reply.status === 404 ? 410 : reply.status) },
  { name: "422 for 400", on: "get /items", check: "status_code_conformance", tell: (reply) => void (reply.status = reply.status === 400 ? 422 : reply.status) },
  { name: "418 for one member", on: "get /shapes", check: "status_code_conformance", tell: when("size=l", fail(418)), smallest: /^\/shapes\?q=aa&size=l $/ },
];

const faults: readonly Lie[] = [
  { name: "500 at the maximum", on: "get /shapes/:id", check: "not_a_server_error", tell: when("/99", fail(500)), smallest: "/shapes/99" },
  { name: "500 at the minimum", on: "get /shapes/:id", check: "not_a_server_error", tell: when(/\/1 /, fail(500)), smallest: "/shapes/1" },
  { name: "500 at a limit of the body", on: "post /shapes", check: "not_a_server_error", tell: when('"weight":100', fail(500)), smallest: '{"name":"a","weight":100,"at":{"kind":"shelf","row":1}}' },
  { name: "500 at the maximal length", on: "post /shapes", check: "not_a_server_error", tell: when('"name":"aaaaaaaaaa"', fail(500)) },
  { name: "500 for an arm", on: "post /shapes", check: "not_a_server_error", tell: when('"floor"', fail(500)), smallest: '"at":{"kind":"floor"}' },
  { name: "500 for a member", on: "post /shapes", check: "not_a_server_error", tell: when('"size":"l"', fail(500)), smallest: '"size":"l"}' },
  { name: "500 for an empty array", on: "post /shapes", check: "not_a_server_error", tell: when('"tags":[]', fail(500)), smallest: '"tags":[]}' },
  { name: "500 for null", on: "post /shapes", check: "not_a_server_error", tell: when('"note":null', fail(500)), smallest: '"note":null}' },
  { name: "500 for other letters", on: "get /shapes", check: "not_a_server_error", tell: when("%C3%A4", fail(500)), smallest: /^\/shapes\?q=aa&tag=\S+ $/ },
  { name: "500 above a number", on: "get /offsets", check: "not_a_server_error", tell: when(/offset=\d{4}/, fail(500)), smallest: /^\/offsets\?offset=1\d{3} $/ },
  { name: "500 for what is no number", on: "get /shapes/:id", check: "not_a_server_error", tell: when("not", fail(500)), smallest: "/shapes/not%20a%20number" },
  { name: "500 for a refused pair", on: "post /shapes/range", check: "not_a_server_error", tell: (reply) => { if (reply.body.includes("from is after")) fail(500)(reply, null as never, ""); } },
  { name: "500 before the first event", on: "get /events", check: "not_a_server_error", tell: when("from=5", fail(500)), smallest: "/events?from=5" },
  { name: "500 without a file", on: "post /uploads", check: "not_a_server_error", tell: (reply) => { if (reply.body.includes("file:")) fail(500)(reply, null as never, ""); } },
  { name: "500 of a download", on: "get /items.csv", check: "not_a_server_error", tell: fail(500), smallest: "/items.csv" },
  { name: "a connection that is closed", on: "get /profile", check: "not_a_server_error", ask: (request) => { request.socket.destroy(); return true; }, smallest: "/profile" },
];

const contents: readonly Lie[] = [
  { name: "HTML for JSON", on: "get /shapes/:id", check: "content_type_conformance", tell: (reply) => void (reply.headers["content-type"] = "text/html") },
  { name: "JSON for CSV", on: "get /items.csv", check: "content_type_conformance", tell: (reply) => void (reply.headers["content-type"] = "application/json") },
  { name: "no content type", on: "get /shapes/:id", check: "content_type_conformance", tell: (reply) => void delete reply.headers["content-type"] },
  { name: "an error as text", on: "get /profile", check: "content_type_conformance", tell: (reply) => { if (reply.status === 401) Object.assign(reply.headers, { "content-type": "text/plain" }); } },
  { name: "JSON for problem details", on: "post /shapes/range", check: "content_type_conformance", tell: (reply) => { if (reply.status === 400) Object.assign(reply.headers, { "content-type": "application/json" }); } },
  { name: "a missing header field", on: "get /shapes", check: "response_headers_conformance", tell: (reply) => void delete reply.headers["x-total"] },
  { name: "another header field value", on: "get /shapes", check: "response_headers_conformance", tell: (reply) => void (reply.headers["x-total"] = "many") },
  { name: "a read without ETag", on: "get /notes/:id", check: "response_headers_conformance", tell: (reply) => void delete reply.headers["etag"] },
  { name: "a write without ETag", on: "put /notes/:id", check: "response_headers_conformance", tell: (reply) => void delete reply.headers["etag"] },
];

const bodies: readonly Lie[] = [
  { name: "an undeclared field", on: "get /shapes/:id", check: "response_schema_conformance", tell: tellData((data) => (data["secret"] = 1)) },
  { name: "an undeclared field of an item", on: "get /items", check: "response_schema_conformance", tell: tellData(({ items }) => Object.assign((items as object[])[0] ?? {}, { cost: 1 })) },
  { name: "an undeclared field for one member", on: "get /shapes", check: "response_schema_conformance", tell: when("size=l", tellData((data) => (data["secret"] = 1))), smallest: /^\/shapes\?q=aa&size=l $/ },
  { name: "a missing field", on: "get /shapes/:id", check: "response_schema_conformance", tell: tellData((data) => delete data["name"]) },
  { name: "a string for a number", on: "get /shapes/:id", check: "response_schema_conformance", tell: tellData((data) => (data["id"] = "1")) },
  { name: "an unknown member", on: "get /shapes/:id", check: "response_schema_conformance", tell: tellData((data) => (data["size"] = "xl")) },
  { name: "null for a string", on: "post /shapes", check: "response_schema_conformance", tell: tellData((data) => (data["name"] = null)) },
  { name: "a number for a cursor", on: "get /items", check: "response_schema_conformance", tell: tellData((data) => (data["nextCursor"] = 7)) },
  { name: "an undeclared field of an error", on: "get /shapes/:id", check: "response_schema_conformance", tell: (reply) => { if (reply.status === 400) reply.body = reply.body.replace('"message"', '"stack":"at","message"'); } },
  { name: "half a body", on: "get /profile", check: "response_schema_conformance", tell: (reply) => void (reply.body = reply.body.slice(0, 20)) },
  { name: "an event with other data", on: "get /events", check: "response_schema_conformance", tell: (reply) => void (reply.body = reply.body.replaceAll(/"at":(\d)/g, '"at":"$1"')) },
  { name: "an event of another name", on: "get /events", check: "response_schema_conformance", tell: (reply) => void (reply.body = reply.body.replaceAll("event: tick", "event: tock")) },
  { name: "an undeclared field of an event", on: "get /events", check: "response_schema_conformance", tell: (reply) => void (reply.body = reply.body.replaceAll('{"at"', '{"secret":1,"at"')) },
];

const inputs: readonly Lie[] = [
  { name: "a missing field is accepted", on: "post /shapes", check: "negative_data_rejection", tell: when(/^(?!.*"name").*"weight":1,/, accept(shape, 201)), smallest: '{"weight":1,"at":{"kind":"shelf","row":1}}' },
  { name: "a number below the minimum is accepted", on: "post /shapes", check: "negative_data_rejection", tell: when('"weight":-', accept(shape, 201)), smallest: '{"name":"a","weight":-0.5,"at":{"kind":"shelf","row":1}}' },
  { name: "a text that is too long is accepted", on: "post /shapes", check: "negative_data_rejection", tell: when(/"name":".{11}"/, accept(shape, 201)), smallest: '"name":"aaaaaaaaaaa"' },
  { name: "an unknown member is accepted", on: "get /shapes", check: "negative_data_rejection", tell: when("size=no", accept(found)), smallest: /^\/shapes\?q=aa&size=no%20such%20member $/ },
  { name: "an unknown field is accepted", on: "post /shapes", check: "negative_data_rejection", tell: when("unknownField", accept(shape, 201)), smallest: '"exact":{"depth":1,"unknownField":"?"}' },
  { name: "malformed JSON is accepted", on: "post /shapes", check: "negative_data_rejection", tell: when(/ \{$/, accept(shape, 201)), smallest: / \{$/ },
  { name: "no arm of a union is accepted", on: "post /shapes", check: "negative_data_rejection", tell: when(/"no":"arm"|"at":"\?"/, accept(shape, 201)) },
  { name: "a path parameter below the minimum is accepted", on: "get /shapes/:id", check: "negative_data_rejection", tell: when("/0 ", accept({ id: 0, name: "", size: "s" })), smallest: "/shapes/0" },
  { name: "a field of a form below the minimum is accepted", on: "post /forms", check: "negative_data_rejection", tell: when("age=-1", accept({ name: "" })), smallest: "name=aa&age=-1" },
  { name: "a missing file is accepted", on: "post /uploads", check: "negative_data_rejection", tell: when(/^(?!.*filename).*title/s, accept({ size: 0 })) },
  { name: "a missing body is accepted", on: "post /shapes", check: "negative_data_rejection", ask: ({ headers: fields }, response) => { if (fields["content-type"] !== undefined) return false; response.status(201).json({ status: "success", data: shape }); return true; }, smallest: "/shapes " },
  { name: "an invalid address is accepted", on: "post /shapes", check: "negative_data_rejection", tell: when('"mail":"?"', accept(shape, 201)), smallest: '"mail":"?"}' },
  { name: "a fraction is accepted", on: "get /items", check: "negative_data_rejection", tell: when("limit=1.5", accept({ items: [], limit: 1, nextCursor: null })), smallest: "/items?limit=1.5" },
  { name: "a member is refused", on: "get /shapes", check: "positive_data_acceptance", tell: when("size=l", fail(400)), smallest: /^\/shapes\?q=aa&size=l $/ },
  { name: "the minimum is refused", on: "post /shapes", check: "positive_data_acceptance", tell: when(/"weight":0[,}]/, fail(400)), smallest: '{"name":"a","weight":0,"at":{"kind":"shelf","row":1}}' },
  { name: "the largest array is refused", on: "post /shapes", check: "positive_data_acceptance", tell: when(/"tags":\[[^,\]]*,[^,\]]*,/, fail(400)), smallest: /"row":1\},"tags":\["a","[^"\\]*\\?"?[^"]*","a"\]\}$/ },
  { name: "the largest page is refused", on: "get /items", check: "positive_data_acceptance", tell: when("limit=100", fail(400)), smallest: "/items?limit=100" },
  { name: "an undeclared type is accepted", on: "post /shapes", check: "unsupported_media_type", tell: accept(shape, 201, 415) },
];

const headers: readonly Lie[] = [
  { name: "a missing header field is accepted", on: "get /shapes", check: "missing_required_header", ask: (request) => void (request.headers["x-client"] ??= "aa"), smallest: /^\/shapes\?q=aa $/ },
  { name: "a missing If-Match is accepted", on: "put /notes/:id", check: "missing_required_header", ask: (request) => void (request.headers["if-match"] ??= "*") },
  { name: "a missing key is accepted", on: "post /notes", check: "missing_required_header", ask: (request) => void (request.headers["idempotency-key"] ??= "k") },
  { name: "a stale If-Match is accepted", on: "put /notes/:id", check: "conditional_write", ask: (request) => { if (request.headers["if-match"]) request.headers["if-match"] = "*"; } },
  { name: "a known ETag is ignored", on: "get /notes/:id", check: "conditional_read", ask: (request) => void delete request.headers["if-none-match"] },
  { name: "a repeated request gets another reply", on: "post /notes", check: "idempotent_replay", ask: (request) => { if (request.headers["idempotency-key"]) request.headers["idempotency-key"] = String(Math.random()); } },
  { name: "a repeated request is not marked", on: "post /notes", check: "idempotent_replay", tell: (reply) => void delete reply.headers["idempotency-replayed"] },
  { name: "another request with a used key is accepted", on: "post /notes", check: "idempotent_replay", tell: accept(note, 200, 422) },
];

const access: readonly Lie[] = [
  { name: "nobody is let in", on: "get /profile", check: "ignored_auth", ask: ({ cookies }) => void Object.assign(cookies as object, { session: "s-1" }), smallest: "/profile" },
  { name: "any token is let in", on: "get /notes/:id", check: "ignored_auth", ask: ({ headers: fields }) => { if (fields.authorization?.includes("Z2Fy")) fields.authorization = "Bearer token-ada"; } },
  { name: "any cookie is let in", on: "get /profile", check: "ignored_auth", ask: ({ cookies }) => { if ("session" in (cookies as object)) Object.assign(cookies as object, { session: "s-1" }); } },
  { name: "another's note is read", on: "get /notes/:id", check: "ignored_owner", ask: ({ headers: fields }) => { if (fields.authorization) fields.authorization = fields.authorization.replace("bob", "ada"); } },
  { name: "another's note is deleted", on: "delete /notes/:id", check: "ignored_owner", ask: ({ headers: fields }) => { if (fields.authorization) fields.authorization = fields.authorization.replace("bob", "ada"); } },
  { name: "a scope is ignored", on: "post /notes", check: "ignored_scopes", ask: ({ headers: fields }) => { if (fields.authorization) fields.authorization = fields.authorization.replace("eve", "ada"); } },
  { name: "an undeclared method works", on: "get /profile", also: "delete /profile", check: "unsupported_method", ask: (_request, response) => { response.json({}); return true; } },
  { name: "Allow names too much", on: "get /profile", also: "any /profile", check: "unsupported_method", tell: (reply) => { if (reply.status === 405) reply.headers["allow"] = "GET, HEAD, DELETE"; } },
  { name: "Allow names too little", on: "get /shapes", also: "any /shapes", check: "unsupported_method", tell: (reply) => { if (reply.status === 405) reply.headers["allow"] = "GET, HEAD"; } },
  { name: "Allow is missing", on: "get /profile", also: "any /profile", check: "unsupported_method", tell: (reply) => { if (reply.status === 405) delete reply.headers["allow"]; } },
  { name: "404 for 405", on: "get /profile", also: "any /profile", check: "unsupported_method", tell: (reply) => { if (reply.status === 405) fail(404)(reply, null as never, ""); } },
];

let cursors = 0;
const pages: readonly Lie[] = [
  { name: "a cursor comes again", on: "get /items", check: "pages_end", tell: tellData((data) => (data["nextCursor"] = "again")), ask: (request) => void (request.url = request.url.replace("cursor=again", "")) },
  { name: "there is always another page", on: "get /items", check: "pages_end", tell: tellData((data) => Object.assign(data, { nextCursor: `c${++cursors}`, items: [{ id: cursors, name: "" }] })), ask: (request) => void (request.url = request.url.replace(/cursor=c\d+/, "")) },
  { name: "the offset is ignored", on: "get /offsets", check: "pages_end", ask: (request) => void (request.url = request.url.replace("offset=", "other=")) },
  { name: "the total is too large", on: "get /offsets", check: "pages_end", tell: tellData((data) => (data["total"] = 99)) },
  { name: "a page is larger than its limit", on: "get /offsets", check: "pages_end", ask: (request) => void (request.url = request.url.replace("limit=2", "limit=5")) },
  { name: "what was deleted is still there", on: "delete /notes/:id", check: "use_after_free", ask: (request, response) => { if (request.headers.authorization !== "Bearer token-ada") return false; response.json({ status: "success", data: {} }); return true; } },
];

export const lies: readonly Lie[] = [
  ...statuses,
  ...faults,
  ...contents,
  ...bodies,
  ...inputs,
  ...headers,
  ...access,
  ...pages,
];
