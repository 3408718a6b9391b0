import createHttpError from "http-errors";
import {
  ApiError,
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  Middleware,
  problemEndpointsFactory as problems,
  type AnyEndpoint,
  type ErrorDeclarations,
} from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { testEndpoint, testMiddleware } from "sallyport/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generate as toDocument, generateOne } from "../../openapi/generate.ts";
import { start, type Sent } from "../harness.ts";

const ask = async (endpoint: AnyEndpoint, sent: Sent = {}): Promise<unknown[]> => {
  const server = await start({ run: endpoint });
  const answer = await server.send("/run", sent);
  return [answer.status, answer.json(), answer.headers];
};

const until = z.object({ until: z.string().transform(Number) });
const declared = {
  404: "No such book",
  409: { description: "Taken", schema: z.object({ stock: z.number() }) },
  soldOut: {
    status: 410,
    description: "Sold out",
    schema: until,
    type: "https://shop.test/sold-out",
    title: "Sold out",
  },
  closed: { status: 410, description: "Closed" },
} as const;

const error = (message: string, more: object = {}) => ({
  status: "error",
  error: { message, ...more },
});

describe("an error that is created with `errors`", () => {
  test("has the status, the description as its message, and its header fields", async () => {
    const endpoint = factory.build({
      errors: declared,
      handler: ({ errors }) => {
        throw errors[404]({ headers: { "X-Why": "sold" } });
      },
    });
    expect(await ask(endpoint)).toEqual([
      404,
      error("No such book"),
      expect.objectContaining({ "x-why": "sold" }),
    ]);
  });

  test("carries its data, parsed with its own schema, and its name as the code", async () => {
    const endpoint = factory.build({
      errors: declared,
      handler: ({ errors }) => {
        throw errors.soldOut({ message: "Until 5", data: { until: "5" } });
      },
    });
    const [status, body] = await ask(endpoint);
    expect([status, body]).toEqual([
      410,
      error("Until 5", { code: "soldOut", data: { until: 5 } }),
    ]);
  });

  test("has its own type and title, which another error of the status lacks", async () => {
    const build = (name: "closed" | "soldOut") =>
      problems.build({
        errors: declared,
        handler: ({ errors }) => {
          throw name === "closed" ? errors.closed() : errors.soldOut({ data: { until: "5" } });
        },
      });
    const { type, title } = declared.soldOut;
    expect((await ask(build("soldOut")))[1]).toEqual({
      ...{ type, title, status: 410, detail: "Sold out", code: "soldOut", data: { until: 5 } },
    });
    expect((await ask(build("closed")))[1]).toEqual({
      ...{ type: "about:blank", title: "Gone", status: 410, detail: "Closed", code: "closed" },
    });
  });

  test("becomes a 500 if its data does not fit", async () => {
    const endpoint = factory.build({
      errors: declared,
      handler: ({ errors }) => {
        throw errors[409]({ data: { stock: "many" as never } });
      },
    });
    const [status, body] = await ask(endpoint);
    expect([status, JSON.stringify(body)]).toEqual([500, expect.stringContaining("data.stock")]);
  });

  test("may come from a middleware, `around`, or a stream", async () => {
    const errors = { late: { status: 423, description: "Late" } } as const;
    const plain = new Middleware({
      errors,
      handler: ({ errors: own }) => {
        throw own.late();
      },
    });
    const around = new Middleware({
      errors,
      around: async ({ errors: own }, next) => {
        await next();
        throw own.late();
      },
    });
    const stream = new EventStreamFactory({ time: z.number() }).build({
      errors,
      handler: ({ errors: own }) => {
        throw own.late();
      },
    });
    const handler = () => ({});
    for (const endpoint of [
      factory.addMiddleware(plain).build({ handler }),
      factory.addMiddleware(around).build({ handler }),
      stream,
    ])
      expect((await ask(endpoint)).slice(0, 2)).toEqual([423, error("Late", { code: "late" })]);
    const { responseMock } = await testMiddleware({ middleware: plain });
    expect(responseMock._getStatusCode()).toBe(423);
  });

  test("counts as the endpoint's own if a middleware declares the same key", async () => {
    const endpoint = factory
      .addMiddleware({ errors: { 409: "Busy" }, handler: () => undefined })
      .build({
        errors: { 409: "Taken" },
        handler: ({ errors }) => {
          throw errors[409]();
        },
      });
    expect((await ask(endpoint)).slice(0, 2)).toEqual([409, error("Taken")]);
  });

  test("is an ApiError that tells what it is, and logs its cause", async () => {
    const cause = new Error("duplicate key");
    const endpoint = factory.build({
      errors: declared,
      handler: ({ errors }) => {
        const created = errors.closed({ cause });
        expect(created).toBeInstanceOf(ApiError);
        expect(created).toMatchObject({ status: 410, statusCode: 410, expose: true, cause });
        expect([created.code, errors[404]().code]).toEqual(["closed", undefined]);
        throw created;
      },
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getStatusCode()).toBe(410);
  });
});

test("One declaration under several names keeps their codes", async () => {
  const conflict = { status: 409, description: "Conflict" } as const;
  const build = (name: "locked" | "taken" | 409) =>
    factory.build({
      errors: { taken: conflict, locked: conflict, 409: conflict },
      handler: ({ errors }) => {
        throw errors[name]();
      },
    });
  for (const name of ["taken", "locked"] as const)
    expect((await ask(build(name)))[1]).toEqual(error("Conflict", { code: name }));
  expect((await ask(build(409)))[1]).toEqual(error("Conflict"));
});

describe("an error without `errors`", () => {
  const fail = (errors: ErrorDeclarations, properties: object = {}) =>
    problems.build({
      errors,
      handler: () => {
        throw createHttpError(409, "Oh", properties);
      },
    });

  test("is the only one that is declared under a name with its status", async () => {
    const taken = { status: 409, description: "", type: "https://a.test/taken", schema: until };
    expect((await ask(fail({ taken }, { data: { until: "1" } })))[1]).toMatchObject({
      ...{ type: taken.type, code: "taken", data: { until: 1 } },
    });
  });

  test("is none of several that are declared under names", async () => {
    const one = { status: 409, description: "", type: "https://a.test/taken" };
    const [, body] = await ask(fail({ one, two: { ...one, schema: until } }, { data: {} }));
    expect(body).toEqual({ type: "about:blank", title: "Conflict", status: 409, detail: "Oh" });
  });

  test("keeps the type that the endpoint declares behind a part of the framework", async () => {
    const taken = { description: "", type: "https://a.test/taken" };
    const endpoint = problems
      .addMiddleware(idempotency({ store: memoryStore(), scope: () => "me" }))
      .build({
        method: "post",
        errors: { 409: taken },
        handler: () => {
          throw createHttpError(409, "Oh");
        },
      });
    expect((await ask(endpoint, { method: "POST" }))[1]).toMatchObject({ type: taken.type });
  });
});

describe("the code of an error of the framework", () => {
  test("is sent in both envelopes; other errors have none", async () => {
    const once = idempotency({ store: memoryStore(), scope: () => "me" });
    const input = z.object({ n: z.number() });
    const build = { method: "post" as const, input, handler: async () => ({}) };
    const server = await start({
      plain: factory.addMiddleware(once).build(build),
      problem: problems.addMiddleware(once).build(build),
      fault: factory.build({
        handler: () => {
          throw Object.assign(new Error("no"), { code: "EPERM", statusCode: 403 });
        },
      }),
    });
    const send = async (path: string, n: unknown) => {
      const headers = { "idempotency-key": path };
      return (await server.send(path, { method: "POST", headers, body: { n } })).json();
    };
    for (const path of ["/plain", "/problem"]) {
      await send(path, 1);
      const code = "SLP_IDEMPOTENCY_INPUT";
      const wanted = path === "/plain" ? { error: { code } } : { code };
      expect(await send(path, 2)).toMatchObject(wanted);
      const invalid = { code: "SLP_INPUT_INVALID" };
      expect(await send(path, "x")).toMatchObject(path === "/plain" ? { error: invalid } : invalid);
    }
    expect((await server.send("/nothing")).json()).toEqual(
      error("Not Found", { code: "SLP_NOT_FOUND" }),
    );
    expect((await server.send("/fault")).json()).toEqual(error("no"));
  });
});

describe("documents", () => {
  const build = { errors: declared, handler: () => ({}) };

  test("list the errors of a status, each with its code", () => {
    const routing = { run: factory.build(build), problem: problems.build(build) };
    const { responses } = generateOne("GET /run", routing);
    const names = [
      { $ref: "#/components/schemas/SoldOut" },
      { $ref: "#/components/schemas/Closed" },
    ];
    expect(responses["410"]).toMatchObject({
      description: "Sold out\n\nClosed",
      content: { "application/json": { schema: { anyOf: names } } },
    });
    const { schemas = {} } = toDocument(routing).components ?? {};
    const text = JSON.stringify(schemas["SoldOut"]);
    expect(text).toContain('"code":{"type":"string","const":"soldOut"}');
    expect(text).toContain('"required":["until"]');
    expect(JSON.stringify(schemas["SoldOutProblem"])).toContain(
      '"type":{"type":"string","const":"https://shop.test/sold-out"}',
    );
  });
});

describe("onError", () => {
  const unique = Object.assign(new Error("duplicate key"), { code: "23505" });
  const failing = () => {
    throw unique;
  };
  const isUnique = (thrown: Error): boolean => "code" in thrown && thrown.code === "23505";
  const mapped = factory.onError({
    errors: { taken: { status: 409, description: "The name is taken" } },
    handler: ({ error: thrown, errors }) =>
      isUnique(thrown) ? errors.taken({ cause: thrown }) : undefined,
  });
  const taken = [409, error("The name is taken", { code: "taken" })];

  test("of a factory converts what handlers and middlewares throw", async () => {
    expect((await ask(mapped.build({ handler: failing }))).slice(0, 2)).toEqual(taken);
    const behind = mapped.addMiddleware({ handler: failing }).build({ handler: () => ({}) });
    expect((await ask(behind)).slice(0, 2)).toEqual(taken);
    const before = factory
      .addMiddleware({ handler: failing })
      .onError({ handler: ({ error: thrown }) => createHttpError(418, thrown.message) })
      .build({ handler: () => ({}) });
    expect((await ask(before)).slice(0, 2)).toEqual([418, error("duplicate key")]);
  });

  test("leaves other errors, and what `around` middlewares see", async () => {
    const seen: unknown[] = [];
    const endpoint = mapped
      .addMiddleware({
        around: async (_args, next) => {
          try {
            return await next();
          } catch (thrown) {
            seen.push(thrown);
            throw thrown;
          }
        },
      })
      .build({ handler: failing });
    expect((await ask(endpoint))[0]).toBe(409);
    expect(seen).toEqual([unique]);
    const other = mapped.build({
      handler: () => {
        throw createHttpError(402, "Pay");
      },
    });
    expect((await ask(other)).slice(0, 2)).toEqual([402, error("Pay")]);
  });

  test("runs from the last mapping of a factory to that of the configuration", async () => {
    const order: string[] = [];
    const note = (name: string) => ({
      handler: async ({ error: thrown }: { readonly error: Error }) => {
        order.push(`${name}: ${thrown.message}`);
        return new Error(`${thrown.message} ${name}`);
      },
    });
    const endpoint = factory
      .onError(note("first"))
      .onError(note("second"))
      .build({ handler: failing });
    const server = await start(
      { run: endpoint },
      {
        onError: {
          errors: { busy: { status: 429, description: "Busy" } },
          handler: ({ error: thrown, errors }: never) => {
            order.push(`config: ${(thrown as Error).message}`);
            return (errors as { busy: () => Error }).busy();
          },
        },
      },
    );
    const answer = await server.send("/run");
    expect([answer.status, answer.json()]).toEqual([429, error("Busy", { code: "busy" })]);
    expect(order).toEqual([
      "second: duplicate key",
      "first: duplicate key second",
      "config: duplicate key second first",
    ]);
  });

  test("converts what a generator throws, and a connection that a database has lost", async () => {
    const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });
    const gone = factory.onError({ handler: () => createHttpError(502, "Gone") });
    const handler = () => {
      throw reset;
    };
    expect((await ask(gone.build({ handler })))[0]).toBe(502);
    // oxlint-disable-next-line require-yield -- it fails before the first piece
    const generate = async function* () {
      throw unique;
    };
    const stream = mapped.build({ output: ez.stream("text/plain"), handler: generate });
    expect((await ask(stream)).slice(0, 2)).toEqual(taken);
  });

  test("may throw, in which case that counts, and a value that is no error is a 500", async () => {
    const throwing = factory.onError({
      handler: () => {
        throw createHttpError(451, "No");
      },
    });
    expect((await ask(throwing.build({ handler: failing }))).slice(0, 2)).toEqual([
      451,
      error("No"),
    ]);
    const server = await start({
      run: factory
        .onError({
          errors: { taken: { status: 409, description: "The name is taken" } },
          handler: ({ errors }) => {
            throw errors.taken();
          },
        })
        .build({ handler: failing }),
    });
    const answer = await server.send("/run");
    expect([answer.status, answer.json()]).toEqual(taken);
    // what is declared is no failure
    expect(server.linesOf("error")).toEqual([]);
    const wrong = factory.onError({ handler: () => 5 as never });
    expect((await ask(wrong.build({ handler: failing })))[0]).toBe(500);
  });

  test.each(["the factory", "the configuration"])(
    "of %s has the time limit of the endpoint, too, so one that never settles keeps no client waiting",
    async (where) => {
      const hanging = { handler: () => new Promise<undefined>(() => undefined) };
      const isOwn = where === "the factory";
      const endpoint = (isOwn ? factory.onError(hanging) : factory).build({
        timeout: 30,
        handler: failing,
      });
      const server = await start({ run: endpoint }, isOwn ? {} : { onError: hanging });
      const answer = await server.send("/run");
      expect([answer.status, answer.json()]).toEqual([
        503,
        error("Service Unavailable", { code: "SLP_HANDLER_TIMEOUT" }),
      ]);
      const logged = server.linesOf("error").map(({ meta }) => (meta as { error: Error }).error);
      expect(logged[0]).toBe(unique);
      expect(logged[1]?.cause).toEqual(
        new Error("A handler of `onError` did not settle within the time limit of 30 ms"),
      );
    },
  );

  test("is declared in documents, and rejected if it is invalid", () => {
    const { responses } = generateOne("GET /run", { run: mapped.build({ handler: () => ({}) }) });
    expect(responses["409"]?.description).toBe("The name is taken");
    expect(() => factory.onError({} as never)).toThrow(
      "onError: `handler` must be a function that returns the error to send, or nothing.",
    );
    expect(() =>
      factory.onError({ errors: { a: "x" as never }, handler: () => undefined }),
    ).toThrow('onError: `errors` has "a" without an error status');
  });
});
