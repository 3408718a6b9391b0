import type { AddressInfo, Server } from "node:net";
import {
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ez,
  RequestError,
  ResultHandler,
} from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { send, successEnvelope } from "../harness.ts";

test("another copy of the package sends and takes the content that endpoints declare", async () => {
  vi.resetModules();
  const { createServer } = await import("sallyport");
  const { servers, close } = await createServer(
    { http: { listen: { port: 0, host: "127.0.0.1" } }, cors: false, upload: true, logger: {} },
    {
      "get file": factory.build({ output: ez.file("text/plain"), handler: () => "/no/such/file" }),
      "get bytes": factory.build({
        output: ez.buffer("text/plain"),
        handler: () => Buffer.from("abc"),
      }),
      "post raw": factory.build({
        input: ez.raw(),
        handler: ({ input }) => ({ is: String(input.raw) }),
      }),
      "post upload": factory.build({
        input: z.object({ file: ez.upload() }),
        handler: ({ input }) => ({ is: input.file.name }),
      }),
    },
  );
  try {
    const { port } = (servers[0] as Server).address() as AddressInfo;
    expect((await send(port, "/file")).status).toBe(404);
    expect((await send(port, "/bytes")).text).toBe("abc");
    const headers = { "content-type": "text/csv" };
    const raw = await send(port, "/raw", { method: "POST", body: "a,b", headers });
    expect(raw.json()).toEqual(successEnvelope({ is: "a,b" }));
    const form = new FormData();
    form.append("file", new Blob(["x"]), "a.txt");
    const url = `http://127.0.0.1:${port}/upload`;
    const uploaded = await fetch(url, { method: "POST", body: form });
    expect(await uploaded.json()).toEqual(successEnvelope({ is: "a.txt" }));
    const invalid = await send(port, "/upload", { method: "POST", body: {} });
    expect(invalid.json()).toMatchObject({ error: { issues: [{ path: ["file"] }] } });
  } finally {
    await close();
  }
});

test("another copy of the package sends the code and the data of errors that `onError` creates", async () => {
  const mapping = factory.onError({
    errors: {
      taken: { status: 409, description: "Taken", schema: z.object({ by: z.string() }) },
      locked: { status: 409, description: "Locked" },
    },
    handler: ({ errors }) => errors.taken({ data: { by: "Ada" } }),
  });
  const handler = () => {
    throw new Error("duplicate key");
  };
  vi.resetModules();
  const { createServer } = await import("sallyport");
  const { servers, close } = await createServer(
    { http: { listen: { port: 0, host: "127.0.0.1" } }, cors: false, logger: {} },
    { run: mapping.build({ handler }) },
  );
  try {
    const { port } = (servers[0] as Server).address() as AddressInfo;
    const answer = await send(port, "/run");
    expect([answer.status, answer.json()]).toEqual([
      409,
      { status: "error", error: { message: "Taken", code: "taken", data: { by: "Ada" } } },
    ]);
  } finally {
    await close();
  }
});

test("`instanceof` knows the errors of another copy, but not a derived class of one's own", async () => {
  const load = async () => ({
    ...(await import("sallyport")),
    ...(await import("sallyport/client")),
    ...(await import("sallyport/openapi")),
  });
  const one = await load();
  vi.resetModules();
  const other = await load();
  const route = { method: "GET", path: "/" };
  const of = ({
    AbortedError,
    ApiError,
    ClientError,
    ConfigError,
    DefinitionError,
    EventSizeError,
    InputValidationError,
    NetworkError,
    OpenApiError,
    OutputValidationError,
    PageError,
    RedirectError,
    ReplyError,
    RequestError,
    RoutingError,
    ServerFault,
    TimeoutError,
    UnexpectedBodyError,
    UnsendableInputError,
  }: typeof one): (readonly [of: abstract new (...args: never) => Error, error: Error])[] => [
    [AbortedError, new AbortedError(route, "")],
    [ApiError, new ApiError("404", { description: "" })],
    [ClientError, new ClientError("SLP_OTHER", route, "")],
    [ConfigError, new ConfigError("SLP_CONFIG_VALUE", "")],
    [DefinitionError, new DefinitionError("SLP_DEFINITION_VALUE", "")],
    [EventSizeError, new EventSizeError(route, 1)],
    [InputValidationError, new InputValidationError("")],
    [NetworkError, new NetworkError(route, "")],
    [OpenApiError, new OpenApiError("SLP_OPENAPI_OPTION", "", {})],
    [OutputValidationError, new OutputValidationError("")],
    [PageError, new PageError(route, "", true)],
    [RedirectError, new RedirectError(route, "")],
    [ReplyError, new ReplyError(route, new Response(), {})],
    [RequestError, new RequestError("SLP_GONE")],
    [RoutingError, new RoutingError("SLP_ROUTING_LEAF", "", { path: "/" })],
    [ServerFault, new ServerFault("SLP_VERSION", "")],
    [TimeoutError, new TimeoutError(route, 1)],
    [UnexpectedBodyError, new UnexpectedBodyError(route, new Response(), "")],
    [UnsendableInputError, new UnsendableInputError(route, "a", "")],
  ];
  const others = of(other);
  for (const [Own, error] of of(one)) {
    const known = others.filter(([, foreign]) => foreign instanceof Own).map(([Of]) => Of.name);
    const derived = others.filter(
      ([Of]) =>
        Own.name === "ClientError" &&
        Of !== other.ClientError &&
        Of.prototype instanceof other.ClientError,
    );
    expect(known.toSorted()).toEqual(
      [Own, ...derived.map(([Of]) => Of)].map(({ name }) => name).toSorted(),
    );
    const Derived = class extends (Own as new () => Error) {};
    expect([error instanceof Own, error instanceof Derived]).toEqual([true, false]);
    expect(others.some(([, foreign]) => foreign instanceof Derived)).toBe(false);
    for (const value of [new Error("Some"), {}, null, undefined, "text", Object.create(null)])
      expect(value instanceof Own).toBe(false);
  }
  class Derived extends other.ReplyError {}
  expect(new Derived(route, new Response(), {}) instanceof one.ReplyError).toBe(true);
});

test("another copy of the package sends what conditions, and errors of the framework, stand for", async () => {
  const sent: unknown[] = [];
  const own = new ResultHandler({
    positive: z.object({}),
    negative: z.object({}),
    handler: ({ output, response }) => response.json(sent.push(output)),
  });
  const version = new EndpointsFactory(own).build({ version: () => "a", handler: () => ({}) });
  const limited = factory
    .addMiddleware({
      errors: { 410: { description: "Gone", schema: z.object({ at: z.string() }) } },
      handler: () => Promise.reject(new RequestError("SLP_GONE")),
    })
    .build({ handler: () => ({}) });
  let calls = 0;
  const idempotent = factory
    .addMiddleware(idempotency({ store: memoryStore(), scope: () => "a" }))
    .build({ method: "post", handler: () => ({ calls: ++calls }) });
  vi.resetModules();
  const { createServer } = await import("sallyport");
  const { servers, close } = await createServer(
    { http: { listen: { port: 0, host: "127.0.0.1" } }, cors: false, logger: {} },
    { version, limited, "post idempotent": idempotent },
  );
  try {
    const { port } = (servers[0] as Server).address() as AddressInfo;
    const known = await send(port, "/version", { headers: { "if-none-match": '"a"' } });
    expect([known.status, known.text, sent]).toEqual([304, "", []]);
    const gone = await send(port, "/limited");
    expect([gone.status, gone.json()]).toMatchObject([410, { error: { code: "SLP_GONE" } }]);
    const headers = { "idempotency-key": "a-key" };
    for (const replayed of [undefined, "true"]) {
      const { status, headers: got } = await send(port, "/idempotent", { method: "POST", headers });
      expect([status, got["idempotency-replayed"], calls]).toEqual([200, replayed, 1]);
    }
  } finally {
    await close();
  }
});
