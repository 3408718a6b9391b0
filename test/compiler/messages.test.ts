import { beforeAll, describe, expect, test } from "vitest";
import { compile, writeProgram } from "./compile.ts";

const preamble = `
import express from "express";
import {
  arrayEndpointsFactory, attachRouting, createConfig, createServer, defaultEndpointsFactory as factory, EndpointsFactory,
  EventStreamFactory, ez, Middleware, ResultHandler, type Result,
} from "sallyport";
import { z } from "zod";

interface User { role: string }
const app = express();
const config = createConfig({ cors: true });
const withId = factory.build({ input: z.object({ id: z.string() }), handler: async () => ({}) });
const needsUser = new Middleware({
  handler: async ({ ctx }: { ctx: { user: User } }) => ({ isStaff: ctx.user.role === "staff" }),
});
const csv = new ResultHandler({
  positive: { schema: z.string(), mimeType: "text/csv" },
  negative: z.string(),
  handler: ({ output, response }: Result<{ rows: string[][] }>) => response.send(output?.rows.join("\\n")),
});
const csvFactory = new EndpointsFactory(csv);
const ok = z.object({ ok: z.boolean() });
`;

/** Statements that do not compile, by name. */
const statements = {
  cors: "createConfig({ http: { listen: 8090 } });",
  corsOfApp: "createConfig({ app });",
  option: "createConfig({ cors: true, bodyLimits: 1 });",
  nestedOption: "createConfig({ cors: true, http: { liste: 1 } });",
  value: 'createConfig({ cors: true, logger: { level: "loud" } });',
  serverOption: "createConfig({ app, cors: true, gracefulShutdown: true });",
  wrongApp: "createConfig({ app: 5, cors: true });",
  corsMiddleware: "createConfig({ cors: (_a: unknown, _b: unknown, next: () => void) => next() });",
  corsArgument: "createConfig({ cors: ({ defaultHeader }) => ({}) });",
  noApp: "attachRouting(createConfig({ cors: true }), {});",
  serverOfApp: "void createServer(createConfig({ app, cors: true }), {});",

  parameter: 'void createServer(config, { v1: { ":slug": withId } });',
  parameterOfApp: 'attachRouting(createConfig({ app, cors: true }), { "get /:from-:id": withId });',
  noRoute: "void createServer(config, { v1: 5 });",

  noContext: "factory.addMiddleware(needsUser);",
  otherContext: "factory.addContext(() => ({ user: 5 })).addMiddleware(needsUser);",
  contextAlone:
    "new Middleware<{ user: User }>({ handler: async ({ ctx }) => ({ isStaff: ctx.user.role }) });",
  errorsBesideArguments:
    'new Middleware<{ user: User }>({ errors: { 403: "No" }, handler: async () => undefined });',
  namedText: 'factory.build({ errors: { noBook: "None" }, handler: async () => ({}) });',
  listOfMiddleware: "factory.addMiddleware({ handler: async () => [1] });",
  spanWithoutNext: "new Middleware({ around: async (_args, next) => { await next(); } });",

  output: "csvFactory.build({ output: ok, handler: async () => ({ ok: true }) });",
  returned: "csvFactory.build({ handler: async () => ({ ok: true }) });",
  nothing: "csvFactory.buildVoid({ handler: async () => undefined });",
  items: "arrayEndpointsFactory.build({ output: ok, handler: () => ({ ok: true }) });",
  array: "factory.build({ output: z.array(z.string()), handler: async ({ input }) => [input] });",
  noReturn:
    "factory.build({ output: ok, handler: async ({ response }) => void response.status(204).end() });",
  field: "factory.build({ output: ok, handler: ({ input }) => ({ ok: String(input) }) });",
  noField:
    "factory.build({ output: ok.extend({ at: z.date() }), handler: async ({ input }) => ({ ok: !input }) });",
  key: "factory.build({ outputs: ok, handler: async () => ({}) });",

  itemsName: 'ez.paginated({ style: "offset", itemSchema: ok, itemsName: "total" });',
  event:
    'new EventStreamFactory({ time: z.number() }).build({ handler: ({ ctx }) => ctx.emit("tick", 1) });',
};
type Name = keyof typeof statements;

const printed = new Map<string, readonly string[]>();

beforeAll(() => {
  const names = Object.keys(statements);
  const program = writeProgram("messages", `${preamble}${Object.values(statements).join("\n")}\n`);
  const above = preamble.split("\n").length;
  for (const { line, message } of compile(program)) {
    const name = names[line - above];
    if (name === undefined) throw new Error(`The preamble does not compile: ${message}`);
    printed.set(name, [...(printed.get(name) ?? []), message]);
  }
});

/** Returns the lines of the only error of a statement. */
const linesOf = (name: Name): readonly string[] => {
  const messages = printed.get(name) ?? [];
  expect(messages).toHaveLength(1);
  return messages.join("").split(/\n */);
};

describe("every error message", () => {
  test("is the only one for its statement", () => {
    expect([...printed].filter(([, messages]) => messages.length !== 1)).toEqual([]);
    expect([...printed.keys()].toSorted()).toEqual(Object.keys(statements).toSorted());
  });

  test("names the cause, but neither overloads nor the option exactOptionalPropertyTypes", () => {
    const messages = [...printed.values()].flat();
    expect(messages.filter((message) => /overload|exactOptional/i.test(message))).toEqual([]);
  });
});

describe("the error for a configuration", () => {
  test.each<[Name, string]>([
    [
      "cors",
      "Property 'cors' is missing in type '{ http: { listen: number; }; }' but required in type 'ServerConfig'.",
    ],
    [
      "corsOfApp",
      "Property 'cors' is missing in type '{ app: Express; }' but required in type 'AppConfig'.",
    ],
    ["noApp", "Type 'undefined' is not assignable to type 'IRouter'."],
    ["serverOfApp", "Type 'IRouter' is not assignable to type 'undefined'."],
  ])(
    "that lacks an option, or has one that is not allowed, ends with the cause: %s",
    (name, last) => {
      expect(linesOf(name).at(-1)).toBe(last);
    },
  );

  test.each<[Name, RegExp]>([
    [
      "option",
      /^Object literal may only .* 'bodyLimits' does not exist .* Did you mean to write 'bodyLimit'\?$/,
    ],
    [
      "nestedOption",
      /^Object literal may only .* 'liste' does not exist .* Did you mean to write 'listen'\?$/,
    ],
    [
      "serverOption",
      /^Object literal may only .* 'gracefulShutdown' does not exist in type 'AppConfig/,
    ],
    ["value", /^Type '"loud"' is not assignable to type '"debug" \| "error" .* undefined'\.$/],
    ["wrongApp", /^Type 'number' is not assignable to type 'IRouter'\.$/],
    ["corsArgument", /^Property 'defaultHeader' does not exist on type 'CorsArguments'\.$/],
  ])("with a wrong option is one line: %s", (name, message) => {
    const [only, ...others] = linesOf(name);
    expect(only).toMatch(message);
    expect(others).toEqual([]);
  });

  test("with a middleware as `cors` ends with the number of parameters", () => {
    expect(linesOf("corsMiddleware").at(-1)).toBe(
      "Target signature provides too few arguments. Expected 3 or more, but got 1.",
    );
  });
});

describe("the error for a routing map", () => {
  test.each<[Name, string]>([
    ["parameter", "slug"],
    ["parameterOfApp", "from"],
  ])("names the path parameter that an input schema lacks: %s", (name, parameter) => {
    const message = `is not assignable to type '"The input schema lacks the path parameter \\"${parameter}\\""'.`;
    expect(linesOf(name).at(-1)?.endsWith(message)).toBe(true);
    expect(linesOf(name)).toHaveLength(2);
  });

  test("names the kinds of values that a routing map accepts", () => {
    expect(linesOf("noRoute")).toEqual([
      "Type 'number' is not assignable to type 'MarkedEndpoint | Routing | ServeStatic'.",
    ]);
  });
});

describe("the error for a middleware", () => {
  test.each<[Name, string]>([
    [
      "noContext",
      "Property 'user' is missing in type '{}' but required in type '{ user: User; }'.",
    ],
    ["otherContext", "Type 'number' is not assignable to type 'User'."],
    ["contextAlone", "Type '{ isStaff: string; }' is not assignable to type 'void'."],
    ["spanWithoutNext", "Type 'void' is not assignable to type 'Passed<void>'."],
  ])("ends with the difference between the types: %s", (name, last) => {
    expect(linesOf(name).at(-1)).toBe(last);
  });

  test("that returns an array says how to wrap it", () => {
    expect(linesOf("listOfMiddleware").at(-1)).toContain(
      "wrap an array in one, as in { items: [...] }",
    );
  });
});

describe("the error for an endpoint", () => {
  test.each<[Name, string]>([
    [
      "output",
      "Promise<{ ok: boolean; }>' is not assignable to type '\"The result handler of this factory does not accept this `output`\"'.",
    ],
    [
      "items",
      "{ ok: boolean; }' is not assignable to type '\"The result handler of this factory does not accept this `output`\"'.",
    ],
    [
      "nothing",
      "Promise<undefined>' is not assignable to type '\"The result handler of this factory does not accept `{}`: use `build`\"'.",
    ],
    [
      "array",
      "Promise<{}[]>' is not assignable to type '\"`output` must be an object schema; wrap an array in one, as in z.object({ items: z.array(...) })\"'.",
    ],
    ["field", "string' is not assignable to type 'boolean'."],
  ])("with an output that cannot be sent is one line: %s", (name, message) => {
    expect(linesOf(name)).toEqual([`Type '${message}`]);
  });

  test.each<[Name, string]>([
    [
      "returned",
      "Type '{ ok: boolean; }' is not assignable to type 'SentResponse | { rows: string[][]; }'.",
    ],
    ["noReturn", "Type 'undefined' is not assignable to type 'SentResponse | { ok: boolean; }'."],
    [
      "noField",
      "Property 'at' is missing in type '{ ok: boolean; }' but required in type '{ ok: boolean; at: Date; }'.",
    ],
  ])(
    "whose handler returns the wrong type ends with the difference between the types: %s",
    (name, last) => {
      expect(linesOf(name).at(-1)).toBe(last);
    },
  );

  test("with a misspelt key suggests the right one", () => {
    expect(linesOf("key")[0]).toMatch(/ Did you mean to write 'output'\?$/);
  });
});

describe("the errors for a wrong items name and an unknown event", () => {
  test("name the wrong value, and say why it is wrong or which values are known", () => {
    expect(linesOf("itemsName")).toEqual([
      `Type '"total"' is not assignable to type '"itemsName \\"total\\" is reserved in offset style"'.`,
    ]);
    expect(linesOf("event")).toEqual([
      `Argument of type '"tick"' is not assignable to parameter of type '"time"'.`,
    ]);
  });
});

describe("the error for declared errors", () => {
  test.each<[Name, RegExp]>([
    [
      "errorsBesideArguments",
      /With type arguments, these errors have no types; define the middleware in `addMiddleware`/,
    ],
    ["namedText", /^Type 'string' is not assignable to type 'NamedError'\.$/],
  ])("ends with the fix: %s", (name, last) => {
    expect(linesOf(name).at(-1)).toMatch(last);
  });
});
