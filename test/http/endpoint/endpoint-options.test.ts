import { defaultEndpointsFactory as factory, DefinitionError, ez } from "sallyport";
import { testEndpoint } from "sallyport/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

const echo = (options: Partial<Parameters<typeof factory.build>[0]> = {}) =>
  factory.build({
    method: "post",
    input: z.looseObject({}),
    output: z.looseObject({}),
    handler: ({ input }) => input,
    ...(options as object),
  });
const boundary = "gate";
const multipart = { "content-type": `multipart/form-data; boundary=${boundary}` };
const part = (name: string, content: string, file?: string): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file === undefined ? "" : `; filename="${file}"`}\r\n\r\n${content}\r\n`;
const form = (...parts: string[]): string => `${parts.join("")}--${boundary}--\r\n`;

describe("inputSources of an endpoint", () => {
  test("replace the configured sources, for all methods or for some", async () => {
    const server = await start(
      {
        all: echo({ inputSources: ["query", "headers"] }),
        some: echo({ inputSources: { post: ["query"], put: ["headers"] } }),
        none: echo({ inputSources: { put: ["headers"] } }),
      },
      { inputSources: { post: ["cookies"] }, cookies: true },
    );
    const sent = { method: "POST", headers: { "x-a": "1", cookie: "c=3" } };
    const read = async (path: string) =>
      ((await server.send(path, sent)).json() as { data: unknown }).data;
    expect(await read("/all?q=2")).toMatchObject({ q: "2", "x-a": "1" });
    expect(await read("/some?q=2")).toEqual({ q: "2" });
    expect(await read("/none?q=2")).toEqual({ c: "3" });
  });

  test("apply in tests without a server", async () => {
    const { responseMock } = await testEndpoint({
      endpoint: echo({ inputSources: ["headers"] }),
      requestProps: { method: "POST", headers: { "x-a": "1" }, body: { b: 2 } },
    });
    expect(responseMock._getJSONData()).toMatchObject({ data: { "x-a": "1" } });
    expect(responseMock._getJSONData()).not.toMatchObject({ data: { b: 2 } });
  });

  test("are taken into account by the startup warnings", async () => {
    const server = await start(
      { a: echo({ inputSources: ["cookies"] }), b: factory.build({ ...rawOf(["query"]) }) },
      {},
    );
    const warned = server.linesOf("warn").map(({ message }) => message.slice(0, 18));
    expect(warned).toContain("SLP_WARN_COOKIES: ");
    expect(warned).toContain("SLP_WARN_NO_BODY: ");
  });
});

const rawOf = (inputSources: readonly "query"[]) => ({
  method: "post" as const,
  input: ez.raw(),
  inputSources,
  handler: () => ({}),
});

describe("bodyLimit of an endpoint", () => {
  test.each([
    ["JSON", "application/json", (size: number) => JSON.stringify("x".repeat(size - 2))],
    ["a form", "application/x-www-form-urlencoded", (size: number) => `a=${"x".repeat(size - 2)}`],
    ["a multipart form", multipart["content-type"], (size: number) => padded(size)],
  ])(
    "limits %s, whether the limit is above or below the configured one",
    async (_what, type, make) => {
      const server = await start(
        { small: echo({ bodyLimit: 200 }), large: echo({ bodyLimit: 2000 }), usual: echo() },
        { bodyLimit: 1000 },
      );
      const send = async (path: string, size: number) =>
        (
          await server.send(path, {
            method: "POST",
            headers: { "content-type": type },
            body: make(size),
          })
        ).status;
      const fits = type === "application/json" ? 400 : 200;
      expect(await send("/small", 200)).toBe(fits);
      expect(await send("/small", 201)).toBe(413);
      expect(await send("/usual", 1000)).toBe(fits);
      expect(await send("/usual", 1001)).toBe(413);
      expect(await send("/large", 2000)).toBe(fits);
      expect(await send("/large", 2001)).toBe(413);
    },
  );

  test("limits the values of JSON, and each limit that it omits is the configured one", async () => {
    const server = await start(
      {
        few: echo({ bodyLimit: { values: 2 } }),
        many: echo({ bodyLimit: { values: 50_000 } }),
        short: echo({ bodyLimit: 20 }),
        usual: echo({ bodyLimit: {} }),
      },
      { bodyLimit: { bytes: 1000, values: 3 } },
    );
    const send = async (path: string, values: number, type = "application/json") => {
      const body = `{"a":[${Array.from({ length: values - 1 }, () => "1").join()}]}`;
      const headers = { "content-type": type };
      return (await server.send(path, { method: "POST", headers, body })).status;
    };
    expect(await Promise.all([send("/few", 2), send("/few", 3)])).toEqual([200, 413]);
    expect(await Promise.all([send("/many", 400), send("/many", 600)])).toEqual([200, 413]);
    expect(await Promise.all([send("/usual", 3), send("/usual", 4)])).toEqual([200, 413]);
    expect(await Promise.all([send("/short", 3), send("/short", 4)])).toEqual([200, 413]);
  });

  test("counts no values in forms, raw bodies and parsed bodies", async () => {
    const parsed = factory.use((request, _response, next) => {
      request.body = { a: [1, 2, 3] };
      next();
    });
    const build = { method: "post", handler: () => ({}) } as const;
    const server = await start(
      {
        form: factory.build({ ...build, input: z.looseObject({}) }),
        raw: factory.build({ ...build, input: ez.raw() }),
        parsed: parsed.build({ ...build, input: z.looseObject({}) }),
      },
      { bodyLimit: { values: 1 } },
    );
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = "a=1&a=2&b=3&c=4";
    for (const path of ["/form", "/raw", "/parsed"])
      expect((await server.send(path, { method: "POST", headers, body })).status).toBe(200);
  });

  test("limits a raw body, and a body behind a middleware", async () => {
    const length = { output: z.object({ length: z.number() }), method: "post" as const };
    const guarded = factory.addMiddleware({ handler: () => ({}) });
    const raw = {
      ...length,
      input: ez.raw(),
      bodyLimit: 10,
      handler: ({ input }: { input: { raw: Buffer } }) => ({ length: input.raw.length }),
    };
    const server = await start({ raw: factory.build(raw), guarded: guarded.build(raw) });
    for (const path of ["/raw", "/guarded"]) {
      expect((await server.send(path, { method: "POST", body: "0123456789" })).status).toBe(200);
      expect((await server.send(path, { method: "POST", body: "0123456789a" })).status).toBe(413);
    }
  });
});

describe("a raw body with a declared media type", () => {
  const parts = `--b\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\n1,2\r\n--b--\r\n`;
  const multipartType = 'multipart/form-data; boundary="b"';
  const endpoint = (contentMediaType?: string) =>
    factory.build({
      ...{ method: "post", output: z.object({ length: z.number() }) },
      input: contentMediaType === undefined ? ez.raw() : ez.raw({}, { contentMediaType }),
      handler: ({ input }: { input: { raw: Buffer } }) => ({ length: input.raw.length }),
    });
  const routing = {
    csv: endpoint("text/csv"),
    parsed: factory
      .use((request, _response, next) => {
        request.body = Buffer.from(parts);
        next();
      })
      .build({
        method: "post",
        input: ez.raw({}, { contentMediaType: "text/csv" }),
        handler: () => ({}),
      }),
    any: endpoint(),
    every: endpoint("*/*"),
    parts: endpoint("multipart/mixed"),
  };

  test("does not take a multipart body for the content", async () => {
    const server = await start(routing);
    const send = (path: string, type: string, body = parts) =>
      server.send(path, { method: "POST", headers: { "content-type": type }, body });
    for (const path of ["/csv", "/parsed"]) {
      const { status, headers } = await send(path, multipartType);
      expect([path, status, headers["accept"]]).toEqual([path, 415, "text/csv"]);
    }
    for (const path of ["/any", "/every", "/parts"])
      expect((await send(path, multipartType)).status).toBe(200);
    for (const type of [
      "text/csv",
      "application/octet-stream",
      "application/x-www-form-urlencoded",
    ])
      expect((await send("/csv", type, "1,2")).json()).toEqual(successEnvelope({ length: 3 }));
  });
});

const padded = (size: number): string =>
  form(part("a", "x".repeat(size - form(part("a", "")).length)));

describe("upload limits of an endpoint", () => {
  test("replace individual limits in the configuration", async () => {
    const input = z.object({ file: ez.upload() });
    const output = z.object({ size: z.number() });
    const save = {
      method: "post" as const,
      input,
      output,
      handler: (args: { input: z.output<typeof input> }) => ({ size: args.input.file.size }),
    };
    const server = await start(
      {
        small: factory.build({ ...save, upload: { limits: { fileSize: 5 } } }),
        large: factory.build({ ...save, upload: { limits: { fileSize: 50 } } }),
        usual: factory.build(save),
      },
      { upload: { limits: { fileSize: 20, fields: 1 } } },
    );
    const send = async (path: string, ...parts: string[]) =>
      (await server.send(path, { method: "POST", headers: multipart, body: form(...parts) }))
        .status;
    const file = (size: number): string => part("file", "x".repeat(size), "a.txt");
    expect([await send("/small", file(5)), await send("/small", file(6))]).toEqual([200, 413]);
    expect([await send("/usual", file(20)), await send("/usual", file(21))]).toEqual([200, 413]);
    expect([await send("/large", file(50)), await send("/large", file(51))]).toEqual([200, 413]);
    // the other limits in the configuration still apply
    expect(await send("/large", file(1), part("a", ""), part("b", ""))).toBe(413);
  });
});

describe("multipart text fields", () => {
  test("are read if the route takes no files, with or without uploads", async () => {
    for (const upload of [false, true]) {
      const server = await start({ echo: echo() }, { upload });
      const body = form(part("a", "1"), part("b", "ü"), part("b", "3"));
      const answer = await server.send("/echo", { method: "POST", headers: multipart, body });
      expect(answer.json()).toEqual({ status: "success", data: { a: "1", b: ["ü", "3"] } });
    }
  });

  test("are read behind a middleware, and from bytes that an adapter provides", async () => {
    const body = form(part("a", "1"));
    const given = factory.use((request, _response, next) => {
      request.body = Buffer.from(body);
      next();
    });
    const build = { method: "post" as const, input: z.object({ a: z.string() }) };
    const handler = ({ input }: { input: { a: string } }) => input;
    const guarded = factory.addMiddleware({ handler: () => ({}) });
    const server = await start({
      given: given.build({ ...build, handler }),
      guarded: guarded.build({ ...build, handler }),
    });
    for (const path of ["/given", "/guarded"]) {
      const answer = await server.send(path, { method: "POST", headers: multipart, body });
      expect(answer.json()).toEqual({ status: "success", data: { a: "1" } });
    }
  });

  test.each([
    ["a file", form(part("a", "1"), part("f", "x", "a.txt")), 415, "Unsupported Media Type"],
    ["no end", form(part("a", "1")).slice(0, -20), 400, "Malformed multipart body"],
    ["a dangerous name", form(part("__proto__", "1")), 400, "Forbidden key in the body"],
    [
      "too many fields",
      form(...Array.from({ length: 1001 }, (_, n) => part(`n${n}`, ""))),
      413,
      "Too many parts",
    ],
  ])("cause an error if the body has %s", async (_what, body, status, message) => {
    const server = await start({ echo: echo() });
    const answer = await server.send("/echo", { method: "POST", headers: multipart, body });
    expect(answer.status).toBe(status);
    expect(answer.json()).toEqual(errorEnvelope(message));
    expect(answer.headers.accept).toBe(
      status === 415 ? "application/json, application/x-www-form-urlencoded" : undefined,
    );
  });

  test("are absent in an empty form and in a form without parts", async () => {
    const server = await start({ echo: echo() });
    for (const body of ["", `--${boundary}--\r\n`]) {
      const answer = await server.send("/echo", { method: "POST", headers: multipart, body });
      expect(answer.json()).toEqual({ status: "success", data: {} });
    }
  });
});

test.each([
  [{ inputSources: "query" }, "build: `inputSources` must be an array of query, params,"],
  [{ inputSources: ["qery"] }, "build: `inputSources` must be an array of query, params,"],
  [{ inputSources: { post: ["qery"] } }, "build: `inputSources.post` must be an array of"],
  [{ inputSources: { pots: [] } }, "build: `inputSources`: there is no key `pots`."],
  [
    { bodyLimit: 0 },
    "build: `bodyLimit` must be a positive integer, in bytes, or an object with bytes, values; got 0.",
  ],
  [{ bodyLimit: { values: 0 } }, "build: `bodyLimit.values` must be a positive integer; got 0."],
  [{ bodyLimit: { value: 1 } }, "Did you mean `values`?"],
  [{ bodyLimit: "1mb" }, "build: `bodyLimit` must be a positive integer"],
  [{ upload: true }, "build: `upload` must be an object with `limits`; got true."],
  [{ upload: { limits: { fileSze: 1 } } }, "Did you mean `fileSize`?"],
  [{ upload: { limits: { files: -1 } } }, "build: `upload.limits.files` must be an integer, 0"],
])("%j is rejected where it is declared", (options, message) => {
  expect(() => echo(options as never)).toThrow(DefinitionError);
  expect(() => echo(options as never)).toThrow(message);
});
