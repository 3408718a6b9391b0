import express from "express";
import { expectTypeOf, test } from "vitest";
import type { EmptyObject } from "../../basics/schemas/schema.ts";
import { z } from "zod";
import {
  attachRouting,
  createConfig,
  createServer,
  defaultEndpointsFactory as factory,
  ServeStatic,
  type Routing,
  type RunningServer,
} from "../../index.ts";

const config = createConfig({ cors: false });
const withId = factory.build({ input: z.object({ id: z.string() }), handler: async () => ({}) });
const withoutId = factory.build({ handler: async () => ({}) });
const loose = factory.build({ input: z.looseObject({}), handler: async () => ({}) });
const bySlug = factory
  .addMiddleware({ input: z.object({ slug: z.string() }), handler: async () => ({}) })
  .build({ handler: async () => ({}) });

test("accepts every form of the routing map", () => {
  expectTypeOf(
    createServer(config, {
      v1: {
        users: { ":id": { get: withId, "": withId }, "post :id": withId },
        files: new ServeStatic("."),
      },
      "get /a/b": withoutId,
      nested: withoutId.nest({ ":id": withId }),
      ":slug": bySlug,
      "any/:thing": loose,
    }),
  ).resolves.toEqualTypeOf<RunningServer>();
});

test("what a path may not contain is left to the check at startup", () => {
  void createServer(config, { "users/:id?": withId, "files/*": withoutId, "a/:id(x)": withId });
});

test("a route may be optional, and is checked like the others", () => {
  const isOn: boolean = Math.random() > 2;
  void createServer(config, { a: withoutId, ...(isOn && { b: withoutId }) });
  void createServer(config, { v1: { a: withoutId, ...(isOn ? { ":id": withId } : {}) } });
  // @ts-expect-error -- The input schema lacks the path parameter "slug"
  void createServer(config, { a: withoutId, ...(isOn && { ":slug": withId }) });
});

test("a path parameter missing from the input causes a type error with a message", () => {
  // @ts-expect-error -- The input schema lacks the path parameter "slug"
  void createServer(config, { v1: { ":slug": withId } });
  // @ts-expect-error -- The input schema lacks the path parameter "id"
  void createServer(config, { v1: { ":id": { deep: { get: withoutId } } } });
  // @ts-expect-error -- The input schema lacks the path parameter "to"
  void createServer(config, { "get /x/:id-:to": withId });
  // @ts-expect-error -- The input schema lacks the path parameter "id"
  void createServer(config, { ":id": bySlug });
});

test("an input without a shape is checked by its type", () => {
  const record = factory.build({
    input: z.record(z.literal("id"), z.string()),
    handler: async () => ({}),
  });
  const either = factory.build({
    input: z.union([z.object({ id: z.string() }), z.object({ id: z.number(), to: z.string() })]),
    handler: async () => ({}),
  });
  void createServer(config, { "a/:id": record, ":id": { get: either } });
  // @ts-expect-error -- The input schema lacks the path parameter "to"
  void createServer(config, { ":to": record });
  // @ts-expect-error -- The input schema lacks the path parameter "name"
  void createServer(config, { ":id/:name": either });
});

test("an empty object schema neither hides a missing parameter nor clashes with a middleware's input", () => {
  const empty = factory.build({ input: z.object({}), handler: async () => ({}) });
  const authorized = factory.addMiddleware({
    input: z.object({}),
    handler: async () => ({ user: { id: 1 } }),
  });
  const behind = authorized.build({
    input: z.object({ id: z.string() }),
    handler: async ({ input, ctx }) => {
      expectTypeOf(input).toEqualTypeOf<{ id: string }>();
      return { name: input.id + ctx.user.id };
    },
  });
  expectTypeOf(behind["~types"].middlewareInput).toEqualTypeOf<EmptyObject>();
  void createServer(config, { ":id": behind });
  // @ts-expect-error -- The input schema lacks the path parameter "id"
  void createServer(config, { ":id": empty });
  // @ts-expect-error -- The input schema lacks the path parameter "slug"
  void createServer(config, { ":slug": { get: behind } });
  const keyed = factory
    .addMiddleware({ input: z.object({ key: z.string() }), handler: async () => ({}) })
    .build({
      input: z.object({}),
      handler: async ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<{ key: string }>();
        return {};
      },
    });
  void createServer(config, { ":key": keyed });
  // @ts-expect-error -- The input schema lacks the path parameter "id"
  void createServer(config, { ":id": keyed });
});

test("a key names a method that the endpoint declares", () => {
  const create = factory.build({ method: "post", handler: async () => ({}) });
  const both = factory.build({
    method: ["put", "patch"],
    input: z.object({ id: z.string() }),
    handler: async () => ({}),
  });
  void createServer(config, { x: { post: create, delete: withoutId }, "post /y": create });
  void createServer(config, { ":id": { put: both, patch: both }, "patch /y/:id": both });
  // @ts-expect-error -- The endpoint does not declare the method of its key "delete"
  void createServer(config, { x: { delete: create } });
  const search = factory.build({ method: "query", handler: async () => ({}) });
  void createServer(config, { x: { query: search }, "query /y": search, "/query": create });
  // @ts-expect-error -- The endpoint does not declare the method of its key "query"
  void createServer(config, { x: { query: create } });
  // @ts-expect-error -- The endpoint does not declare the method of its key "put /y"
  void createServer(config, { "put /y": create });
  // @ts-expect-error -- The endpoint does not declare the method of its key "post"
  void createServer(config, { ":id": { post: both } });
  // @ts-expect-error -- The endpoint does not declare the method of its key "get /:id"
  void createServer(config, { "get /:id": both });
  // @ts-expect-error -- The endpoint does not declare the method of its key "delete"
  void createServer(config, { delete: create });
  const routing = { "delete /x": create } satisfies Routing;
  // @ts-expect-error -- The endpoint does not declare the method of its key "delete /x"
  void createServer(config, routing);
  // @ts-expect-error -- The endpoint does not declare the method of its key "delete"
  attachRouting({ app: express(), cors: false }, { delete: create });
  // @ts-expect-error -- The endpoint does not declare the method of its key "delete /x"
  attachRouting({ app: express(), cors: false }, routing);
  attachRouting({ app: express(), cors: false }, { post: create });
});

test("a parameter may be split between an endpoint and its middlewares", () => {
  const both = factory
    .addMiddleware({ input: z.object({ slug: z.string() }), handler: async () => ({}) })
    .build({ input: z.object({ id: z.string() }), handler: async () => ({}) });
  void createServer(config, { ":slug/:id": both });
  // @ts-expect-error -- The input schema lacks the path parameter "to"
  void createServer(config, { ":slug/:id/:to": both });
});

test("each alternative of a value chosen at run time is checked", () => {
  const isNew = Math.random() > 0.5;
  void createServer(config, { ":id": isNew ? withId : loose, "get /x": isNew ? withId : bySlug });
  void createServer(config, { ":id": isNew ? withId : { get: withId } });
  // @ts-expect-error -- The input schema lacks the path parameter "id"
  void createServer(config, { ":id": isNew ? withId : withoutId });
  const annotated: Routing = { get: withoutId };
  const byName: Record<string, typeof withoutId> = {};
  void createServer(config, { ":id": annotated, things: byName });
});

test("a map with a type annotation is checked at run time only", () => {
  const routing: Routing = { ":slug": withId };
  void createServer(config, routing);
});

test("a value that is not a route is an error", () => {
  // @ts-expect-error -- a number is not a route
  void createServer(config, { v1: 5 });
});

test("cors must be set, and unknown options are errors", () => {
  // @ts-expect-error -- Property 'cors' is missing
  createConfig({ http: { listen: 8090 } });
  // @ts-expect-error -- there is no such option
  createConfig({ cors: true, corss: true });
  createConfig({
    cors: async ({ defaultHeaders, request, endpoint, logger }) => {
      expectTypeOf(defaultHeaders).toEqualTypeOf<Record<string, string>>();
      expectTypeOf(request.ip).toEqualTypeOf<string | undefined>();
      logger.debug(endpoint?.description ?? "");
      return { ...defaultHeaders };
    },
  });
});
