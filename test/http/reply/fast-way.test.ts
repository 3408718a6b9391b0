import { ServerResponse } from "node:http";
import type { RequestHandler, Response } from "express";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory,
  EndpointsFactory,
  ensureHttpError,
  InputValidationError,
  ResultHandler,
  toPublicMessage,
  type Routing,
} from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start, type Sent } from "../harness.ts";

/** A result handler that sends the default envelopes with Express' own methods. */
const plainHandler = new ResultHandler({
  positive: (data) => z.object({ status: z.literal("success"), data }),
  negative: z.object({ status: z.literal("error") }),
  handler: ({ error, output, response }) => {
    if (!error) {
      response.json({ status: "success", data: output });
      return;
    }
    const { statusCode, headers } = ensureHttpError(error);
    const invalid = error instanceof InputValidationError ? error : undefined;
    const issues = invalid?.cause?.issues.map(({ path, message, code }) => ({
      ...{ path, message, code },
    }));
    response
      .set({ ...headers, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" })
      .status(statusCode)
      .json({
        status: "error",
        error: { message: toPublicMessage(error), code: invalid?.code, issues },
      });
  },
});

const user = {
  id: 42,
  name: "Ada Lovelace",
  email: "ada@example.com",
  active: true,
  address: { street: "1 Main St", city: "London", zip: "N1" },
  tags: ["a", "b"],
};
const userSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  email: z.email(),
  active: z.boolean(),
  address: z.object({ street: z.string(), city: z.string(), zip: z.string() }),
  tags: z.array(z.string()),
});

/** The values that handlers return, by name. */
const outputs: Readonly<Record<string, object | undefined>> = {
  empty: {},
  nothing: undefined,
  unicode: { text: "äöü 漢字 😀 \u2028\u2029" },
  surrogate: { text: "\ud800" },
  escapes: { text: '"\\\b\f\n\r\t\u0000\u007f</script>' },
  numbers: { list: [0, -0, 1.5, 1e21, 1e-7, Number.MAX_SAFE_INTEGER, Number.NaN, Infinity] },
  undefined: { a: undefined, b: [undefined], c: null },
  date: { at: new Date(0), none: new Date(Number.NaN) },
  toJSON: { own: { toJSON: () => ({ replaced: true }) } },
  nested: { a: { b: { c: { d: [[[[]]]] } } } },
  bare: Object.assign(Object.create(null) as object, { a: 1 }),
  instance: new (class Thing {
    visible = 1;
    #hidden = 2;
    get sum(): number {
      return this.visible + this.#hidden;
    }
  })(),
  symbols: { [Symbol("a")]: 1, b: Symbol("c") },
  functions: { call: () => 1, b: 2 },
  map: { map: new Map([[1, 2]]), set: new Set([1]) },
  boxed: { text: Object("a") as object, number: Object(1) as object },
  long: { text: "x".repeat(100_000) },
  wide: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key${n}`, n])),
  bytes: { data: Buffer.from("ab"), typed: new Uint8Array([1, 2]) },
};

const statuses = [200, 201, 202, 203, 204, 205, 206, 299];
const errors = [400, 401, 403, 404, 409, 410, 415, 418, 422, 429, 451, 500, 501, 503, 599];

const toRouting = (factory: typeof defaultEndpointsFactory): Routing => ({
  "get /v1/users/:id": factory.build({
    input: z.object({
      id: z.string().regex(/^\d+$/).transform(Number),
      verbose: z.enum(["yes", "no"]).optional(),
    }),
    output: userSchema,
    handler: async ({ input }) => ({ ...user, id: input.id, tags: [input.verbose ?? "none"] }),
  }),
  "get /v1/users": factory.build({
    input: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    output: z.object({ users: z.array(userSchema), total: z.number() }),
    handler: async ({ input }) => ({
      users: Array.from({ length: input.limit }, () => user),
      total: 1000,
    }),
  }),
  "post /v1/users": factory.build({
    input: z.object({
      name: z.string().min(1),
      email: z.email(),
      tags: z.array(z.string()).max(3),
    }),
    output: z.object({ id: z.number(), name: z.string() }),
    handler: async ({ input }) => ({ id: 1, name: input.name }),
  }),
  "get /output/:name": factory.build({
    input: z.object({ name: z.string() }),
    handler: async ({ input }) => outputs[input.name],
  }),
  "get /status/:status": factory.build({
    input: z.object({ status: z.coerce.number() }),
    handler: async ({ input, response }) => {
      response.status(input.status).set("X-Own", "1").cookie("a", "b");
      return { a: 1 };
    },
  }),
  "get /error/:status": factory.build({
    input: z.object({ status: z.coerce.number() }),
    handler: async ({ input }) => {
      throw createHttpError(input.status, "What is wrong: ä", { headers: { "X-Why": "because" } });
    },
  }),
  "get /chunked": factory.build({
    handler: async ({ response }) => {
      response.setHeader("Transfer-Encoding", "chunked");
      return { a: 1 };
    },
  }),
  "get /typed": factory.build({
    handler: async ({ response }) => {
      response.type("application/vnd.own+json").vary("Accept");
      return { a: 1 };
    },
  }),
  "get /tagged": factory.build({
    handler: async ({ response }) => {
      response.set("ETag", '"1"');
      return { a: 1 };
    },
  }),
});

const requests: readonly (readonly [target: string, sent?: Sent])[] = [
  ["/v1/users/42?verbose=yes"],
  ["/v1/users?limit=20&offset=0"],
  ["/v1/users", { method: "POST", body: { name: "Ada", email: "a@b.co", tags: ["a"] } }],
  ["/v1/users/42?verbose=maybe"],
  ["/v1/users/none"],
  ["/v1/users?limit=1000&offset=-1"],
  ["/v1/users", { method: "POST", body: { name: "", email: "a", tags: [1, 2] } }],
  ["/v1/users/42", { method: "HEAD" }],
  ["/error/404", { method: "HEAD" }],
  ["/chunked"],
  ["/chunked", { method: "HEAD" }],
  ["/typed"],
  ["/tagged"],
  ["/tagged", { headers: { "if-none-match": '"1"' } }],
  ["/tagged", { headers: { "if-none-match": '"2"' } }],
  ...Object.keys(outputs).map((name) => [`/output/${name}`] as const),
  ...statuses.map((status) => [`/status/${status}`] as const),
  ...errors.map((status) => [`/error/${status}`] as const),
];

describe("the fast path, which writes to the socket directly,", () => {
  test.each(requests.map(([target, sent]) => ({ target, sent })))(
    "sends the same as Express' response.json: $target $sent",
    async ({ target, sent }) => {
      const plainFactory = new EndpointsFactory(plainHandler);
      const fast = await start(toRouting(defaultEndpointsFactory));
      const plain = await start(
        toRouting(plainFactory as unknown as typeof defaultEndpointsFactory),
      );
      const [own, other] = [await fast.send(target, sent), await plain.send(target, sent)];
      const { date: _own, ...ownHeaders } = own.headers;
      const { date: _other, ...otherHeaders } = other.headers;
      expect(own.status).toBe(other.status);
      expect(ownHeaders).toEqual(otherHeaders);
      expect(own.text).toBe(other.text);
      // without this check, a path without a route would get the same response in both cases
      expect(own.status === 404).toBe(target.endsWith("/404"));
    },
  );

  const requestState = Symbol.for("sallyport/request-state");
  // for each method: whether the head was sent, and had a type, when the method was first called,
  // which is when a session sets its cookie
  test.each([
    ["none", undefined],
    ["end", [false, true]],
    ["writeHead", [false, true]],
    ["setHeader", [false, false]],
    ["write", undefined],
    ["json", [false, true]],
    ["send", [false, true]],
  ] as const)(
    "R17: is not taken if a handler has replaced a method of the response: %s",
    async (name, state) => {
      const seen = vi.fn();
      let sent: object = {};
      const replace = defaultEndpointsFactory.build({
        handler: async ({ response }) => {
          sent = response;
          if (name === "none") return {};
          const own = response[name].bind(response) as (...args: unknown[]) => unknown;
          const by = (...args: unknown[]): unknown => {
            seen(response.headersSent, response.hasHeader("Content-Type"));
            return own(...args);
          };
          Object.assign(response, { [name]: by });
          return {};
        },
      });
      const server = await start({ replace });
      expect((await server.send("/replace")).json()).toEqual({ status: "success", data: {} });
      const { sentFields } = Reflect.get(sent, requestState) as { sentFields: unknown };
      expect(sentFields !== undefined).toBe(name === "none");
      expect(seen.mock.calls[0]).toEqual(state);
    },
  );

  test.each(["with", "without"])(
    "is not taken if a tool has replaced `end` of all responses (%s a native middleware)",
    async (which) => {
      const native = defaultEndpointsFactory.use((_request, _response, next) => next());
      const factory = which === "with" ? native : defaultEndpointsFactory;
      const server = await start({ a: factory.build({ handler: async () => ({}) }) });
      expect((await server.send("/a")).headers).not.toHaveProperty("x-traced");
      const end = Reflect.get(ServerResponse.prototype, "end") as (...args: unknown[]) => unknown;
      const spy = vi.spyOn(ServerResponse.prototype, "end").mockImplementation(function (
        this: ServerResponse,
        ...args: unknown[]
      ) {
        if (!this.headersSent) this.setHeader("X-Traced", "yes");
        return Reflect.apply(end, this, args) as ServerResponse;
      } as never);
      try {
        expect((await server.send("/a")).headers).toHaveProperty("x-traced", "yes");
      } finally {
        spy.mockRestore();
      }
    },
  );

  const setField: RequestHandler = (_request, response, next) => {
    response.set("X-Frame-Options", "DENY");
    next();
  };
  const keep = (kept: Response[]) =>
    defaultEndpointsFactory.build({
      handler: async ({ response }) => {
        kept.push(response);
        return { a: 1 };
      },
    });
  const isFast = (response: object | undefined): boolean =>
    (Reflect.get(response ?? {}, requestState) as { sentFields: unknown }).sentFields !== undefined;

  test("is taken behind a hook and a native middleware that only set header fields, such as helmet", async () => {
    const kept: Response[] = [];
    const server = await start(
      { hook: keep(kept) },
      { beforeRouting: ({ app }) => void app.use(setField) },
    );
    const native = await start({
      native: defaultEndpointsFactory
        .use(setField)
        .build({ handler: async ({ response }) => void kept.push(response) }),
    });
    for (const answer of [await server.send("/hook"), await native.send("/native")])
      expect(answer.headers).toMatchObject({
        "x-frame-options": "DENY",
        "content-type": "application/json; charset=utf-8",
      });
    expect(kept.map(isFast)).toEqual([true, true]);
  });

  test.each(["json", "send", "status", "set", "get"] as const)(
    "R17: is not taken if a hook has replaced a method of all responses of the application: %s",
    async (name) => {
      const kept: Response[] = [];
      const seen = vi.fn();
      const server = await start(
        { a: keep(kept) },
        {
          beforeRouting: ({ app }) => {
            const original = app.response[name] as (...args: unknown[]) => unknown;
            app.response[name] = function (this: Response, ...args: unknown[]) {
              seen();
              return Reflect.apply(original, this, args);
            } as never;
          },
        },
      );
      expect((await server.send("/a")).json()).toEqual({ status: "success", data: { a: 1 } });
      expect(kept.map(isFast)).toEqual([false]);
      expect(seen).toHaveBeenCalled();
    },
  );

  test.each(["json", "status", "getHeader", "hasHeader", "cork", "emit"] as const)(
    "R17: is not taken if a hook has replaced a method of the response: %s",
    async (name) => {
      const kept: Response[] = [];
      const server = await start(
        { a: keep(kept) },
        {
          beforeRouting: ({ app }) =>
            void app.use((_request, response, next) => {
              const original = response[name].bind(response) as (...args: unknown[]) => unknown;
              Object.assign(response, { [name]: (...args: unknown[]) => original(...args) });
              next();
            }),
        },
      );
      expect((await server.send("/a")).json()).toEqual({ status: "success", data: { a: 1 } });
      expect(kept.map(isFast)).toEqual([false]);
    },
  );
});

test("the Content-Length of a response sent on the fast path reads as a string, as with Express", async () => {
  const lengths: unknown[] = [];
  const a = defaultEndpointsFactory.build({
    handler: async ({ response }) => {
      response.once("finish", () => {
        lengths.push(response.getHeader("Content-Length"), response.getHeaders()["content-length"]);
      });
      return {};
    },
  });
  const server = await start({ a });
  expect((await server.send("/a")).status).toBe(200);
  expect(lengths).toEqual(["30", "30"]);
});
