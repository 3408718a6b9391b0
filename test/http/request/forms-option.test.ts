import express from "express";
import {
  defaultEndpointsFactory as factory,
  DefinitionError,
  EventStreamFactory,
  ez,
  type ServerConfig,
} from "sallyport";
import { createClient } from "sallyport/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";
import { errorEnvelope, start, successEnvelope, type TestServer } from "../harness.ts";

const a = { a: z.string() };
const input = z.object(a);
const handler = async () => ({ done: true });
const output = z.object({ done: z.boolean() });
const post = { method: "post", output, handler } as const;
const stream = new EventStreamFactory({ done: z.boolean() });
const emitDone = { method: "post", input, handler: () => undefined } as const;

const routing = {
  usual: factory.build({ ...post, input }),
  json: factory.build({ ...post, input, forms: false }),
  guarded: factory.addMiddleware({ handler: () => ({}) }).build({ ...post, input, forms: false }),
  both: factory.build({ ...post, input, forms: true }),
  form: factory.build({ ...post, input: ez.form(a) }),
  login: factory.addMiddleware({ input: ez.form(a), handler: () => ({}) }).build(post),
  files: factory.build({ ...post, input: z.object({ ...a, file: ez.upload().optional() }) }),
  raw: factory.build({ ...post, input: ez.raw() }),
  stream: stream.build({ ...emitDone, forms: false }),
  void: factory.buildVoid({ ...emitDone, forms: false }),
};

const boundary = "gate";
const bodies = {
  urlencoded: ["application/x-www-form-urlencoded", "a=1"],
  multipart: [
    `multipart/form-data; boundary=${boundary}`,
    `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`,
  ],
  json: ["application/json", '{"a":"1"}'],
} as const;

const send = async (server: TestServer, path: string, kind: keyof typeof bodies) => {
  const [type, body] = bodies[kind];
  return server.send(path, { method: "POST", headers: { "content-type": type }, body });
};

const listStatuses = async (config: Partial<ServerConfig>): Promise<object> => {
  const server = await start(routing, { upload: true, ...config });
  const statuses: Record<string, number[]> = {};
  for (const path of Object.keys(routing))
    for (const kind of ["urlencoded", "multipart", "json"] as const)
      (statuses[path] ??= []).push((await send(server, `/${path}`, kind)).status);
  return statuses;
};

const own = {
  ...{ json: [415, 415, 200], guarded: [415, 415, 200], both: [200, 200, 200] },
  ...{ form: [200, 200, 200], login: [200, 200, 200], files: [200, 200, 200] },
  ...{ raw: [200, 200, 200], stream: [415, 415, 200], void: [415, 415, 200] },
};

describe("forms", () => {
  test("are accepted by default; with `forms: false`, an endpoint accepts JSON alone", async () => {
    expect(await listStatuses({})).toEqual({ ...own, usual: [200, 200, 200] });
  });

  test("are rejected with `forms: false` in the configuration, except by endpoints that declare or allow them", async () => {
    expect(await listStatuses({ forms: false })).toEqual({ ...own, usual: [415, 415, 200] });
  });

  test("are rejected with the accepted type, before the body is read", async () => {
    const server = await start(routing);
    const answer = await send(server, "/json", "urlencoded");
    expect(answer.headers.accept).toBe("application/json");
    expect(answer.json()).toEqual(errorEnvelope("Unsupported Media Type"));
    for (const [type] of [bodies.urlencoded, bodies.multipart]) {
      const head = `POST /json HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: 9\r\n\r\n`;
      expect(await server.raw(head)).toMatch(/^HTTP\/1\.1 415 /);
    }
  });

  test.each(["an object", "bytes"])(
    "are rejected even if a native middleware has left %s",
    async (left) => {
      const server = await start(routing, {
        beforeRouting: ({ app }) => {
          app.use(left === "bytes" ? express.raw({ type: () => true }) : express.urlencoded());
          app.use(express.json());
        },
      });
      expect((await send(server, "/json", "urlencoded")).status).toBe(415);
      expect((await send(server, "/usual", "urlencoded")).status).toBe(200);
      expect((await send(server, "/json", "json")).status).toBe(200);
    },
  );
});

describe("`forms: false` of an endpoint", () => {
  test.each([
    ["a form", factory.build({ ...post, input: ez.form(a), forms: false })],
    ["files", factory.build({ ...post, input: z.object({ f: ez.upload() }), forms: false })],
    ["bytes", factory.build({ ...post, input: ez.raw(), forms: false })],
    [
      "a form in a middleware",
      factory
        .addMiddleware({ input: ez.form(a), handler: () => ({}) })
        .build({ ...post, forms: false }),
    ],
  ])("is rejected at startup if the input is declared as %s", async (_what, endpoint) => {
    const starting = start({ "v1/pay": endpoint });
    await expect(starting).rejects.toThrow(DefinitionError);
    await expect(starting).rejects.toThrow(
      "/v1/pay: `forms: false` contradicts the input, which is declared with ez.form(), ez.upload() or ez.raw(). Remove one of the two.",
    );
  });

  test("is rejected where it is declared if it is neither true nor false", () => {
    expect(() => factory.build({ ...post, forms: "no" as never })).toThrow(
      'build: `forms` must be true or false; got "no".',
    );
  });
});

test("both clients reach every endpoint of an API with `forms: false`", async () => {
  const config = { cors: false, upload: true, forms: false } as const;
  const { port } = await start(routing, config);
  const options = { baseUrl: `http://127.0.0.1:${port}` };
  const generated = await importGenerated<object>(routing, config);
  const clients = [createClient<typeof routing>(options), generated.createClient(options)];
  for (const client of clients as { provide: (key: string, input: object) => Promise<unknown> }[])
    for (const path of ["usual", "json", "both", "form", "login", "files"])
      expect(await client.provide(`post /${path}`, { a: "1" })).toEqual(
        successEnvelope({ done: true }),
      );
});

test("JSON sent as a form gets an error that names the fix", async () => {
  const endpoint = factory.build({ method: "post", handler: async () => ({}) });
  const answer = await (
    await start({ a: endpoint })
  ).send("/a", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: '{"title":"x"}',
  });
  expect([answer.status, answer.json()]).toEqual([
    400,
    errorEnvelope("The body looks like JSON: send Content-Type: application/json"),
  ]);
});
