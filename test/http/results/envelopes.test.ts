import createHttpError from "http-errors";
import {
  DefinitionError,
  defaultEndpointsFactory,
  EventStreamFactory,
  Middleware,
  problemResultHandler,
  type EndpointsFactory,
} from "sallyport";
import { createClient } from "sallyport/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type Answer } from "../harness.ts";

const key = new Middleware({
  input: z.object({ key: z.string() }),
  handler: async ({ input }) => {
    if (input.key !== "k") throw createHttpError(401, "Who are you?");
    return { user: "Ada" };
  },
});
const v1 = defaultEndpointsFactory.addMiddleware(key);
const v2 = v1.withResultHandler(problemResultHandler);

const problemType = "application/problem+json; charset=utf-8";
const expectProblem = (answer: Answer, status: number, detail: string): void => {
  expect([answer.status, answer.headers["content-type"]]).toEqual([status, problemType]);
  expect(answer.json()).toMatchObject({ status, detail });
};

describe("withResultHandler", () => {
  const build = (factory: Pick<typeof v1, "build">) =>
    factory.build({ handler: async ({ ctx }) => ({ user: ctx.user }) });

  test("keeps the middlewares and replaces the envelope, without changing the factory", async () => {
    const server = await start({ v1: build(v1), v2: build(v2 as never) });
    const [one, two] = [await server.send("/v1?key=k"), await server.send("/v2?key=k")];
    expect(one.json()).toEqual(successEnvelope({ user: "Ada" }));
    expect(two.json()).toEqual({ user: "Ada" });
    const refused = await server.send("/v1?key=x");
    expect([refused.status, refused.json()]).toEqual([401, errorEnvelope("Who are you?")]);
    expectProblem(await server.send("/v2?key=x"), 401, "Who are you?");
  });

  test("keeps the result handler when middlewares are added afterwards", async () => {
    const server = await start({
      a: v2.addContext(() => ({ b: 1 })).build({ handler: () => ({}) }),
    });
    expectProblem(await server.send("/a?key=x"), 401, "Who are you?");
  });

  test.each([undefined, {}, () => undefined])("rejects %o", (value) => {
    const act = (): unknown => v1.withResultHandler(value as never);
    expect(act).toThrow(DefinitionError);
    expect(act).toThrow(/^withResultHandler: the argument must be a result handler;/);
  });
});

describe("the factory of an event stream", () => {
  const toClock = (factory: typeof v2) =>
    new EventStreamFactory({ hello: z.string() }, { factory })
      .addContext(({ user }) => ({ greeting: `Hello ${user}` }))
      .build({
        handler: async ({ ctx: { emit, greeting }, request }) => {
          if (request.headers["x-fail"]) throw createHttpError(409, "Not now");
          await emit("hello", greeting);
        },
      });

  test("gives the stream its middlewares, and the errors before it their envelope", async () => {
    const server = await start({ clock: toClock(v2) });
    expect((await server.send("/clock?key=k")).text).toBe('event: hello\ndata: "Hello Ada"\n\n');
    expectProblem(await server.send("/clock?key=x"), 401, "Who are you?");
    const failed = await server.send("/clock?key=k", { headers: { "x-fail": "1" } });
    expectProblem(failed, 409, "Not now");
    expectProblem(await server.send("/clock", { method: "PUT" }), 405, "Method Not Allowed");
    const client = createClient<{ clock: ReturnType<typeof toClock> }>({
      baseUrl: `http://127.0.0.1:${server.port}`,
    });
    const reply = await client.request("get /clock", { key: "x" });
    expect(reply.status === 401 && reply.body.detail).toBe("Who are you?");
  });

  test("must be a factory", () => {
    const wrong = { factory: {} as EndpointsFactory };
    expect(() => new EventStreamFactory({ hello: z.string() }, wrong)).toThrow(
      "new EventStreamFactory: `factory` must be an endpoints factory, such as `defaultEndpointsFactory`; got {}.",
    );
  });
});
