import { fail, tellData, when, type Lie } from "./verify-lies.ts";

const statuses: readonly Lie[] = [
  {
    name: "another success",
    on: "get /shapes/:id",
    check: "status_code_conformance",
    tell: (reply) => void (reply.status = reply.status === 200 ? 202 : reply.status),
  },
  {
    name: "an undeclared 404",
    on: "get /shapes/:id",
    check: "status_code_conformance",
    tell: when("/99", fail(404)),
    smallest: "/shapes/99",
  },
  {
    name: "200 for 201",
    on: "post /shapes",
    check: "status_code_conformance",
    tell: (reply) => void (reply.status = reply.status === 201 ? 200 : reply.status),
  },
  {
    name: "204 without a body",
    on: "post /forms",
    check: "status_code_conformance",
    tell: (reply) =>
      void Object.assign(reply, reply.status === 200 ? { status: 204, body: "" } : {}),
  },
  {
    name: "403 for 401",
    on: "get /profile",
    check: "status_code_conformance",
    tell: (reply) => void (reply.status = reply.status === 401 ? 403 : reply.status),
  },
  {
    name: "410 for 404",
    on: "delete /notes/:id",
    check: "status_code_conformance",
    tell: (reply) => void (reply.status = reply.status === 404 ? 410 : reply.status),
  },
  {
    name: "422 for 400",
    on: "get /items",
    check: "status_code_conformance",
    tell: (reply) => void (reply.status = reply.status === 400 ? 422 : reply.status),
  },
  {
    name: "418 for one member",
    on: "get /shapes",
    check: "status_code_conformance",
    tell: when("size=l", fail(418)),
    smallest: /^\/shapes\?q=aa&size=l $/,
  },
];

const faults: readonly Lie[] = [
  {
    name: "500 at the maximum",
    on: "get /shapes/:id",
    check: "not_a_server_error",
    tell: when("/99", fail(500)),
    smallest: "/shapes/99",
  },
  {
    name: "500 at the minimum",
    on: "get /shapes/:id",
    check: "not_a_server_error",
    tell: when(/\/1 /, fail(500)),
    smallest: "/shapes/1",
  },
  {
    name: "500 at a limit of the body",
    on: "post /shapes",
    check: "not_a_server_error",
    tell: when('"weight":100', fail(500)),
    smallest: '{"name":"a","weight":100,"at":{"kind":"shelf","row":1}}',
  },
  {
    name: "500 at the maximal length",
    on: "post /shapes",
    check: "not_a_server_error",
    tell: when('"name":"aaaaaaaaaa"', fail(500)),
  },
  {
    name: "500 for an arm",
    on: "post /shapes",
    check: "not_a_server_error",
    tell: when('"floor"', fail(500)),
    smallest: '"at":{"kind":"floor"}',
  },
  {
    name: "500 for a member",
    on: "post /shapes",
    check: "not_a_server_error",
    tell: when('"size":"l"', fail(500)),
    smallest: '"size":"l"}',
  },
  {
    name: "500 for an empty array",
    on: "post /shapes",
    check: "not_a_server_error",
    tell: when('"tags":[]', fail(500)),
    smallest: '"tags":[]}',
  },
  {
    name: "500 for null",
    on: "post /shapes",
    check: "not_a_server_error",
    tell: when('"note":null', fail(500)),
    smallest: '"note":null}',
  },
  {
    name: "500 for other letters",
    on: "get /shapes",
    check: "not_a_server_error",
    tell: when("%C3%A4", fail(500)),
    smallest: /^\/shapes\?q=%C3%A4%20 $/,
  },
  {
    name: "500 above a number",
    on: "get /offsets",
    check: "not_a_server_error",
    tell: when(/offset=\d{4}/, fail(500)),
    smallest: /^\/offsets\?offset=1\d{3} $/,
  },
  {
    name: "500 for what is no number",
    on: "get /shapes/:id",
    check: "not_a_server_error",
    tell: when("not", fail(500)),
    smallest: "/shapes/not%20a%20number",
  },
  {
    name: "500 for a refused pair",
    on: "post /shapes/range",
    check: "not_a_server_error",
    tell: (reply) => {
      if (reply.body.includes("from is after")) fail(500)(reply, null as never, "");
    },
  },
  {
    name: "500 before the first event",
    on: "get /events",
    check: "not_a_server_error",
    tell: when("from=5", fail(500)),
    smallest: "/events?from=5",
  },
  {
    name: "500 without a file",
    on: "post /uploads",
    check: "not_a_server_error",
    tell: (reply) => {
      if (reply.body.includes("file:")) fail(500)(reply, null as never, "");
    },
  },
  {
    name: "500 of a download",
    on: "get /items.csv",
    check: "not_a_server_error",
    tell: fail(500),
    smallest: "/items.csv",
  },
  {
    name: "a connection that is closed",
    on: "get /profile",
    check: "not_a_server_error",
    ask: (request) => {
      request.socket.destroy();
      return true;
    },
    smallest: "/profile",
  },
];

const contents: readonly Lie[] = [
  {
    name: "HTML for JSON",
    on: "get /shapes/:id",
    check: "content_type_conformance",
    tell: (reply) => void (reply.headers["content-type"] = "text/html"),
  },
  {
    name: "JSON for CSV",
    on: "get /items.csv",
    check: "content_type_conformance",
    tell: (reply) => void (reply.headers["content-type"] = "application/json"),
  },
  {
    name: "no content type",
    on: "get /shapes/:id",
    check: "content_type_conformance",
    tell: (reply) => void delete reply.headers["content-type"],
  },
  {
    name: "an error as text",
    on: "get /profile",
    check: "content_type_conformance",
    tell: (reply) => {
      if (reply.status === 401) Object.assign(reply.headers, { "content-type": "text/plain" });
    },
  },
  {
    name: "JSON for problem details",
    on: "post /shapes/range",
    check: "content_type_conformance",
    tell: (reply) => {
      if (reply.status === 400)
        Object.assign(reply.headers, { "content-type": "application/json" });
    },
  },
  {
    name: "a missing header field",
    on: "get /shapes",
    check: "response_headers_conformance",
    tell: (reply) => void delete reply.headers["x-total"],
  },
  {
    name: "another header field value",
    on: "get /shapes",
    check: "response_headers_conformance",
    tell: (reply) => void (reply.headers["x-total"] = "many"),
  },
  {
    name: "a read without ETag",
    on: "get /notes/:id",
    check: "response_headers_conformance",
    tell: (reply) => void delete reply.headers["etag"],
  },
  {
    name: "a write without ETag",
    on: "put /notes/:id",
    check: "response_headers_conformance",
    tell: (reply) => void delete reply.headers["etag"],
  },
];

const bodies: readonly Lie[] = [
  {
    name: "an undeclared field",
    on: "get /shapes/:id",
    check: "response_schema_conformance",
    tell: tellData((data) => (data["secret"] = 1)),
  },
  {
    name: "an undeclared field of an item",
    on: "get /items",
    check: "response_schema_conformance",
    tell: tellData(({ items }) => Object.assign((items as object[])[0] ?? {}, { cost: 1 })),
  },
  {
    name: "an undeclared field for one member",
    on: "get /shapes",
    check: "response_schema_conformance",
    tell: when(
      "size=l",
      tellData((data) => (data["secret"] = 1)),
    ),
    smallest: /^\/shapes\?q=aa&size=l $/,
  },
  {
    name: "a missing field",
    on: "get /shapes/:id",
    check: "response_schema_conformance",
    tell: tellData((data) => delete data["name"]),
  },
  {
    name: "a string for a number",
    on: "get /shapes/:id",
    check: "response_schema_conformance",
    tell: tellData((data) => (data["id"] = "1")),
  },
  {
    name: "an unknown member",
    on: "get /shapes/:id",
    check: "response_schema_conformance",
    tell: tellData((data) => (data["size"] = "xl")),
  },
  {
    name: "null for a string",
    on: "post /shapes",
    check: "response_schema_conformance",
    tell: tellData((data) => (data["name"] = null)),
  },
  {
    name: "a number for a cursor",
    on: "get /items",
    check: "response_schema_conformance",
    tell: tellData((data) => (data["nextCursor"] = 7)),
  },
  {
    name: "an undeclared field of an error",
    on: "get /shapes/:id",
    check: "response_schema_conformance",
    tell: (reply) => {
      if (reply.status === 400)
        reply.body = reply.body.replace('"message"', '"stack":"at","message"');
    },
  },
  {
    name: "half a body",
    on: "get /profile",
    check: "response_schema_conformance",
    tell: (reply) => void (reply.body = reply.body.slice(0, 20)),
  },
  {
    name: "an event with other data",
    on: "get /events",
    check: "response_schema_conformance",
    tell: (reply) => void (reply.body = reply.body.replaceAll(/"at":(\d)/g, '"at":"$1"')),
  },
  {
    name: "an event of another name",
    on: "get /events",
    check: "response_schema_conformance",
    tell: (reply) => void (reply.body = reply.body.replaceAll("event: tick", "event: tock")),
  },
  {
    name: "an undeclared field of an event",
    on: "get /events",
    check: "response_schema_conformance",
    tell: (reply) => void (reply.body = reply.body.replaceAll('{"at"', '{"secret":1,"at"')),
  },
];

/** Replies that are not as declared. */
export const replyLies: readonly Lie[] = [...statuses, ...faults, ...contents, ...bodies];
