import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  Middleware,
  problemEndpointsFactory,
  ResultHandler,
  ServeStatic,
  type AnyEndpoint,
  type Security,
} from "sallyport";
import { testEndpoint, testMiddleware } from "sallyport/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generate, generateOne } from "../../openapi/generate.ts";
import { start } from "../harness.ts";

const basic = 'Basic realm="api", charset="UTF-8"';
const bearer = 'Bearer realm="api"';

const refuse = (): never => {
  throw createHttpError(401, "Sign in");
};

const guard = (security: Security, handler: () => object = refuse) =>
  new Middleware({ security, handler });

const guarded = guard({ type: "bearer" });

/** Returns the status of the reply of an endpoint, and its challenge. */
const ask = async (endpoint: AnyEndpoint): Promise<unknown[]> => {
  const server = await start({ run: endpoint });
  const { status, headers } = await server.send("/run");
  return [status, headers["www-authenticate"]];
};

const done = { handler: () => ({}) };

describe("a 401 of a declared security has a challenge", () => {
  test.for<[security: Security, challenge: string | undefined]>([
    [{ type: "basic" }, basic],
    [{ type: "bearer", format: "JWT" }, bearer],
    [{ type: "openid", url: "https://id.test/.well-known/openid-configuration" }, bearer],
    [{ type: "oauth2", flows: { implicit: { authorizationUrl: "https://id.test/" } } }, bearer],
    [{ type: "header", name: "x-api-key" }, undefined],
    [{ type: "cookie", name: "session" }, undefined],
    [{ type: "query", name: "key" }, undefined],
    [{ type: "input", name: "key" }, undefined],
    [{ or: [{ type: "basic" }, { type: "bearer" }] }, `${basic}, ${bearer}`],
    [{ and: [{ type: "header", name: "x-key" }, { or: [{ type: "bearer" }] }] }, bearer],
    [
      {
        or: [
          { type: "cookie", name: "session" },
          { type: "query", name: "key" },
        ],
      },
      undefined,
    ],
  ])("%j", async ([security, challenge]) => {
    const endpoint = factory.addMiddleware(guard(security)).build(done);
    expect(await ask(endpoint)).toEqual([401, challenge]);
    const document = JSON.stringify(generate({ run: endpoint }));
    expect(document.includes("WWW-Authenticate")).toBe(challenge !== undefined);
  });

  test("once for each scheme of several middlewares and of the endpoint", async () => {
    const endpoint = factory
      .addMiddleware(guard({ type: "bearer" }, () => ({})))
      .addMiddleware(guard({ type: "oauth2", flows: {} }, () => ({})))
      .build({ security: { type: "basic" }, handler: refuse });
    expect(await ask(endpoint)).toEqual([401, `${bearer}, ${basic}`]);
  });

  test("whoever throws it, and in whatever way", async () => {
    const passing = factory.addMiddleware(guard({ type: "bearer" }, () => ({})));
    const named = { signedOut: { status: 401, description: "Sign in" } } as const;
    const endpoints: AnyEndpoint[] = [
      passing.build({ handler: refuse }),
      passing.build({
        errors: { 401: "Sign in" },
        handler: ({ errors }) => Promise.reject(errors[401]()),
      }),
      passing.build({ errors: named, handler: ({ errors }) => Promise.reject(errors.signedOut()) }),
      passing.build({ handler: () => createHttpError(401) as never }),
      passing.build({
        handler: () => Promise.reject(Object.assign(new Error("No"), { status: 401 })),
      }),
      passing.use((_request, _response, next) => next(createHttpError(401))).build(done),
      passing
        .use((_request, response, next) => {
          response.status(401);
          next(new Error("No"));
        })
        .build(done),
    ];
    for (const endpoint of endpoints) expect(await ask(endpoint)).toEqual([401, bearer]);
  });

  test("whichever result handler sends it", async () => {
    const own = new ResultHandler({
      positive: z.object({}),
      negative: z.object({ no: z.string() }),
      handler: ({ error, response }) => {
        response.status((error as { status?: number } | null)?.status ?? 200).json({ no: "" });
      },
    });
    for (const one of [problemEndpointsFactory, new EndpointsFactory(own)])
      expect(await ask(one.addMiddleware(guarded).build(done))).toEqual([401, bearer]);
  });

  test("in front of files", async () => {
    const files = new ServeStatic("docs", {}, factory.addMiddleware(guarded));
    const server = await start({ files });
    const { status, headers } = await server.send("/files/cors.md");
    expect([status, headers["www-authenticate"]]).toEqual([401, bearer]);
  });

  test("in tests of an endpoint, with and without `ctx`, and of a middleware", async () => {
    const endpoint = factory.addMiddleware(guarded).build({ handler: refuse });
    const results = [
      await testEndpoint({ endpoint }),
      await testEndpoint({ endpoint, ctx: {} }),
      await testMiddleware({ middleware: guarded }),
    ];
    for (const { responseMock } of results)
      expect(responseMock._getHeaders()["www-authenticate"]).toBe(bearer);
  });
});

describe("a challenge is not sent", () => {
  test("with other statuses, nor without a declared security", async () => {
    const forbid = guard({ type: "bearer" }, () => {
      throw createHttpError(403);
    });
    expect(await ask(factory.addMiddleware(forbid).build(done))).toEqual([403, undefined]);
    expect(await ask(factory.build({ handler: refuse }))).toEqual([401, undefined]);
  });

  test("in place of one that the error, a middleware or the response has", async () => {
    const own = 'Bearer realm="shop", error="invalid_token"';
    const ofError = guard({ type: "bearer" }, () => {
      throw createHttpError(401, "Expired", { headers: { "www-authenticate": own } });
    });
    const ofResponse = factory.addMiddleware(guard({ type: "bearer" }, () => ({}))).build({
      handler: ({ response }) => {
        response.set("WWW-Authenticate", own);
        throw createHttpError(401);
      },
    });
    expect(await ask(factory.addMiddleware(ofError).build(done))).toEqual([401, own]);
    expect(await ask(ofResponse)).toEqual([401, own]);
  });

  test("described in place of the words of a declared error", () => {
    const endpoint = factory.addMiddleware(guarded).build({
      errors: { 401: { description: "No", headers: { "www-authenticate": "Own words" } } },
      ...done,
    });
    expect(generateOne("GET /run", { run: endpoint }).responses["401"]?.headers).toEqual({
      "www-authenticate": { description: "Own words", schema: { type: "string" } },
    });
  });
});
