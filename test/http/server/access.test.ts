import {
  attachRouting,
  createConfig,
  defaultEndpointsFactory as factory,
  DefinitionError,
  EventStreamFactory,
  RoutingError,
  ServeStatic,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { generateOpenApi } from "sallyport/openapi";
import { testServer } from "sallyport/testing";
import express from "express";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const handler = () => ({});
const security = { type: "bearer" } as const;
const guarded = factory.addMiddleware({ security, handler });
const publicFactory = factory.withAccess("public");
const undecided = factory.build({ handler });

const decided: Routing = {
  "get /own": factory.build({ access: "public", handler }),
  "get /factory": publicFactory.build({ handler }),
  "get /stream": new EventStreamFactory({ a: z.string() }, { factory: publicFactory }).build({
    handler: () => undefined,
  }),
  "get /guarded": guarded.build({ handler }),
  "get /later": publicFactory.addMiddleware({ security, handler }).build({ handler }),
  "get /handler": factory.build({ security, handler }),
  files: new ServeStatic("docs", { access: "public" }),
  "guarded-files": new ServeStatic("docs", {}, guarded),
  "public-files": new ServeStatic("docs", {}, publicFactory),
};

const open = async (routing: Routing, more: Partial<ServerConfig> = {}) => {
  const { close } = await testServer({ access: "explicit", ...more }, routing);
  await close();
};

const refusal = (routing: Routing, more?: Partial<ServerConfig>): Promise<RoutingError> =>
  open(routing, more).then(
    () => expect.unreachable("The server started"),
    (error: unknown) => error as RoutingError,
  );

describe("`access: explicit`", () => {
  test("accepts routes that are public or protected", async () => {
    await open(decided, {
      docs: { ui: "swagger", access: "public" },
      health: { access: "public" },
    });
    await open(decided, { docs: { ui: "swagger", factory: guarded } });
  });

  test("refuses to start with undecided routes, and names all of them", async () => {
    const error = await refusal(
      { ...decided, v1: { a: undecided, "post b": undecided }, c: new ServeStatic("docs") },
      { docs: { ui: "swagger" }, health: true },
    );
    expect(error).toBeInstanceOf(RoutingError);
    expect([error.code, error.cause]).toEqual(["SLP_ROUTING_ACCESS", { path: "/v1/a" }]);
    expect(error.message).toMatch(
      /^The `access` option is "explicit", but these 9 routes are neither public nor protected: GET \/v1\/a, POST \/v1\/b, GET \/docs, .*GET \/livez, GET \/readyz, FILES \/c\. Set `access: "public"`/,
    );
  });

  test("holds for an application of one's own", () => {
    const config = createConfig({ app: express(), cors: false, access: "explicit" });
    expect(() => attachRouting(config, { a: undecided })).toThrow(
      'The `access` option is "explicit", but this route is neither public nor protected: GET /a.',
    );
  });

  test("is off by default", async () => {
    await open({ a: undecided }, { access: undefined });
  });
});

describe("a contradiction", () => {
  test.each([
    ["a middleware of the factory", () => guarded.build({ access: "public", handler })],
    ["the endpoint", () => factory.build({ access: "public", security, handler })],
  ])("is refused: %s declares `security`", (who, build) => {
    expect(build).toThrow(DefinitionError);
    expect(build).toThrow(`build: \`access\` is "public", but ${who} declares \`security\``);
  });

  test("is refused by the compiler and at run time: another word than public", () => {
    // @ts-expect-error -- a protected endpoint declares `security`
    expect(() => factory.withAccess("private")).toThrow('`access` must be "public"; got "private"');
  });
});

describe("documents", () => {
  const write = (routing: Routing) =>
    generateOpenApi({ routing, config: {}, info: { title: "T", version: "1" } });

  test("say that public operations need no security, and which one a handler checks", () => {
    const { paths } = write(decided);
    expect(paths).toMatchObject({
      "/own": { get: { security: [] } },
      "/factory": { get: { security: [] } },
      "/stream": { get: { security: [] } },
      "/guarded": { get: { security: [{ bearer: [] }] } },
      "/later": { get: { security: [{ bearer: [] }] } },
      "/handler": {
        get: { security: [{ bearer: [] }], responses: { 401: expect.any(Object) as object } },
      },
    });
  });

  test("say so even if everything is public", () => {
    const { paths } = write({ a: publicFactory.build({ handler }), b: undecided });
    expect(paths).toHaveProperty(["/a", "get", "security"], []);
    expect(paths).not.toHaveProperty(["/b", "get", "security"]);
  });
});
