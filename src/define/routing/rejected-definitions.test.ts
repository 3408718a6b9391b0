import { describe, expect, test } from "vitest";
import { defaultEndpointsFactory as factory } from "../endpoint/endpoints-factory.ts";
import { Middleware } from "../endpoint/middleware.ts";
import { DefinitionError } from "../../basics/errors.ts";
import { ez } from "../../basics/schemas/ez.ts";
import { ServeStatic } from "./static-files.ts";
import { walkRouting } from "./walk-routing.ts";

const handler = (): object => ({});
const native = (_request: unknown, _response: unknown, next: () => void): void => next();
const build = (wrong: object) => () => factory.build({ handler, ...wrong });
const middleware = (wrong: object) => () => new Middleware({ handler, ...wrong } as never);
const files = (options: unknown, guard?: unknown) => () =>
  new ServeStatic("/tmp", options as never, guard as never);

const types = "one of basic, bearer, header, cookie, query, input, openid, oauth2";

describe("a definition with an invalid value is rejected with an error that names the value", () => {
  test.each([
    [build({ tag: 5 }), "build: `tag` must be a string or an array of strings; got 5."],
    [build({ scope: [1] }), "build: `scope` must be a string or an array of strings; got [1]."],
    [build({ description: 5 }), "build: `description` must be a string; got 5."],
    [
      build({ operationId: 5 }),
      "build: `operationId` must be a string, or a function that returns the id for a method; got 5.",
    ],
    [
      build({ deprecated: "x" }),
      'build: `deprecated` must be true, false, or an object with since, sunset, replacement, policy, gone; got "x".',
    ],
    [build({ keepRawBody: "yes" }), 'build: `keepRawBody` must be true or false; got "yes".'],
    [
      () => factory.addMiddleware(native as never),
      "new Middleware: got a function, not a definition such as { handler }. To add a middleware written for Express, call `use` of a factory.",
    ],
    [
      () => factory.use(new Middleware({ handler }) as never),
      "use: the first argument must be a middleware written for Express, (request, response, next) => ...; pass a `Middleware` to `addMiddleware`.",
    ],
    [
      build({ handler: function* () {} }),
      "build: `handler` is a generator function, which would never run. Use an async function; ",
    ],
    [
      build({ handler: async function* () {}, output: ez.buffer() }),
      "build: `handler` is a generator function, which would never run.",
    ],
    [
      middleware({ handler: async function* () {} }),
      "new Middleware: `handler` is a generator function, which would never run.",
    ],
    [middleware({ body: 1 }), "new Middleware: `body` must be true or false; got 1."],
    [
      middleware({ security: { type: "zzz" } }),
      `new Middleware: \`security.type\` must be ${types}; got "zzz".`,
    ],
    [
      middleware({ security: { or: [{ type: "basic" }, { and: [{ type: "header" }] }] } }),
      "new Middleware: `security.or[1].and[0].name` must be a non-empty string; got undefined.",
    ],
    [
      middleware({ security: { or: [] } }),
      "new Middleware: `security.or` must be a non-empty array; got [].",
    ],
    [
      middleware({ security: "basic" }),
      'new Middleware: `security` must be an object with a `type`, `and` or `or`; got "basic".',
    ],
    [
      () => factory.use(native, { provider: 1 } as never),
      "use: `provider` must be a function; got 1.",
    ],
    [
      () => factory.addContext(handler, { dispose: 1 } as never),
      "addContext: `dispose` must be a function; got 1.",
    ],
    [
      files({ dotfiles: "nope" }),
      'new ServeStatic: `dotfiles` must be one of "allow", "deny", "ignore"; got "nope".',
    ],
    [
      files({ indx: false }),
      "new ServeStatic: there is no option `indx`. Did you mean `index`? The options are ",
    ],
    [files(null), "new ServeStatic: `options` must be an object with access, acceptRanges, "],
    [
      files({}, 5),
      "new ServeStatic: `factory` must be an endpoints factory, such as `defaultEndpointsFactory`; got 5.",
    ],
    [
      () => ez.stream("text/plain", { filename: "x" } as never),
      "ez.stream: there is no option `filename`. Did you mean `fileName`? The options are ",
    ],
    [
      () => ez.file("text/plain", { fileName: 5 } as never),
      "ez.file: `fileName` must be a string; got 5.",
    ],
  ])("%#: %o", (define, message) => {
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(message);
  });
});

test.each([
  ["a function", native],
  ["an object with method, handler", { method: "get", handler: native }],
])("%s in a routing map is rejected with an error that names the fix", (name, value) => {
  expect(() => walkRouting({ a: value } as never)).toThrow(
    `The routing at "/a" is ${name}; it must be an endpoint, a routing map or a ServeStatic. Build an endpoint with a factory, as in defaultEndpointsFactory.build(`,
  );
});

test("valid values are accepted", () => {
  const flows = { implicit: { authorizationUrl: "/", scopes: {} } };
  for (const security of [
    { type: "bearer" },
    { or: [{ type: "cookie", name: "a" }, { and: [{ type: "openid", url: "/" }] }] },
    { type: "oauth2", flows },
  ] as const)
    expect(middleware({ security, body: true })).not.toThrow();
  expect(build({ tag: ["a"], scope: "b", operationId: () => "c", deprecated: true })).not.toThrow();
  expect(files({ dotfiles: "allow", index: ["a"], maxAge: "1d" }, factory)).not.toThrow();
  expect(() =>
    ez.stream("text/plain", { fileName: "x", description: "y", examples: ["z"] }),
  ).not.toThrow();
});
