import { Readable } from "node:stream";
import createHttpError from "http-errors";
import {
  EndpointsFactory,
  problemEndpointsFactory,
  ResultHandler,
  toPublicMessage,
  type Result,
} from "sallyport";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Reply } from "../../../src/wire/reply/send-reply.ts";
import { start } from "../harness.ts";

const positive: unknown = (data: z.ZodType) => ({ schema: data });
const negative = { schema: z.string(), mimeType: "text/plain" };

/** Serves what a result handler replies to the output of a handler, and returns the response and the log. */
const ask = async (
  reply: (result: Result) => unknown,
  { handler = (): object => ({ a: 1 }), positive: declared = positive, ...rest } = {},
) => {
  const resultHandler = new ResultHandler({
    positive: declared as z.ZodType,
    negative,
    reply: reply as () => Reply<never>,
    ...rest,
  });
  const endpoint = new EndpointsFactory(resultHandler).build({
    handler: handler as () => never,
  });
  const server = await start({ "": endpoint }, { startupLogo: false });
  const faults = (): string[] =>
    server.linesOf("error").map(({ meta }) => (meta as { error: Error }).error.message);
  return { ...(await server.send("/")), faults };
};

const fail = (error: unknown) => (): never => {
  throw error;
};

describe("the reply of a result handler", () => {
  it("is sent as JSON, by default with 200", async () => {
    const { status, text, headers } = await ask(({ output }) => ({ body: { ok: output } }));
    expect([status, text]).toEqual([200, '{"ok":{"a":1}}']);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["content-length"]).toBe("14");
  });

  it("has the status and the header fields that it names", async () => {
    const { status, headers } = await ask(() => ({
      status: 202,
      headers: { "X-A": "1", "Set-Cookie": ["a=1", "b=2"], "X-B": undefined },
      body: {},
    }));
    expect(status).toBe(202);
    expect(headers).toMatchObject({ "x-a": "1", "set-cookie": ["a=1", "b=2"] });
    expect(headers).not.toHaveProperty("x-b");
  });

  it("may be a promise", async () => {
    expect(await ask(async () => ({ body: [1] }))).toMatchObject({ status: 200, text: "[1]" });
  });

  it.each([
    ["a string", "a,b", "text/csv; charset=utf-8"],
    ["bytes", Buffer.from("a,b"), "text/csv"],
    ["a stream", Readable.from(["a,", "b"]), "text/csv; charset=utf-8"],
    ["a Blob", new Blob(["a,b"]), "text/csv; charset=utf-8"],
  ])("is %s of the declared media type", async (_case, body, type) => {
    const declared = { schema: z.string(), mimeType: "text/csv" };
    const { status, text, headers } = await ask(() => ({ body }), { positive: declared });
    expect([status, text, headers["content-type"]]).toEqual([200, "a,b", type]);
  });

  it("is a string as JSON if JSON is declared, and bytes as they are", async () => {
    expect((await ask(() => ({ body: "a" }))).text).toBe('"a"');
    expect((await ask(() => ({ body: Buffer.from("[2]") }))).text).toBe("[2]");
  });

  it("has the declared media type of its status, or one of its own", async () => {
    const declared = [
      { schema: z.string(), statusCode: 200 },
      { schema: z.string(), statusCode: 201, mimeType: "text/csv" },
    ];
    const csv = await ask(() => ({ status: 201, body: "a" }), { positive: declared });
    expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
    const own = await ask(() => ({ headers: { "content-type": "text/html" }, body: "a" }));
    expect([own.text, own.headers["content-type"]]).toEqual(["a", "text/html; charset=utf-8"]);
  });

  it("may lack a body", async () => {
    const { status, text, headers } = await ask(() => ({ status: 204 }));
    expect([status, text, headers["content-length"]]).toEqual([204, "", undefined]);
    const empty = await ask(() => ({}));
    expect([empty.status, empty.text, empty.headers["content-length"]]).toEqual([200, "", "0"]);
  });

  it("has the status and the header fields of an error, and is not stored", async () => {
    const error = createHttpError(401, "Who?", { headers: { "WWW-Authenticate": "Bearer" } });
    const { status, text, headers } = await ask(
      ({ error: given }) => ({ body: given ? toPublicMessage(given) : "" }),
      { handler: fail(error) },
    );
    expect([status, text]).toEqual([401, "Who?"]);
    expect(headers).toMatchObject({
      "www-authenticate": "Bearer",
      "cache-control": "no-store",
      "content-type": "text/plain; charset=utf-8",
    });
  });

  it("is replaced by one for the fault if JSON cannot represent it", async () => {
    const { status, text, faults } = await ask(
      ({ output, error }) => ({ body: error ? "failed" : output }),
      { handler: () => ({ a: 1n }) },
    );
    expect([status, text]).toEqual([500, "failed"]);
    expect(faults()).toEqual(["The output cannot be serialised as JSON: output.a is a BigInt"]);
  });

  it.each([
    ["nothing", undefined, "must return an object { status?, headers?, body? }"],
    ["a string", "a", "must return an object { status?, headers?, body? }"],
  ])("is a fault if it is %s", async (_case, reply, message) => {
    const { status, text, faults } = await ask(() => reply);
    expect([status, text]).toEqual([500, "Internal Server Error"]);
    expect(faults()[0]).toContain(message);
  });

  it("is a fault if its body does not suit its media type", async () => {
    const { status, text, faults } = await ask(({ error }) => ({
      headers: { "Content-Type": "text/csv" },
      body: error ? "failed" : {},
    }));
    expect([status, text]).toEqual([500, "failed"]);
    expect(faults()[0]).toContain("must be a string, bytes or a stream; it is {}");
  });

  it("is cut off if its stream fails", async () => {
    const body = (async function* () {
      yield "a";
      throw new Error("broken");
    })();
    await expect(ask(() => ({ body }))).rejects.toThrow("aborted");
  });

  it("is null as JSON", async () => {
    expect(await ask(() => ({ body: null }))).toMatchObject({ status: 200, text: "null" });
  });

  it("takes its header fields from a Headers, too", async () => {
    const { headers } = await ask(() => ({ headers: new Headers({ "X-A": "1" }), body: {} }));
    expect(headers["x-a"]).toBe("1");
  });

  it("leaves no header field of a success to the fault that takes its place", async () => {
    const { status, headers } = await ask(({ error }) =>
      error ? { body: "failed" } : { headers: { "Set-Cookie": "a=1", "X-A": "1" }, body: 1n },
    );
    expect(status).toBe(500);
    expect(headers).not.toHaveProperty("set-cookie");
    expect(headers).not.toHaveProperty("x-a");
  });

  it.each([
    ["a function", () => 1],
    ["an object whose toJSON returns nothing", { toJSON: () => undefined }],
  ])("is a fault if it has no form in JSON: %s", async (_case, body) => {
    const { status, text, faults } = await ask(({ error }) => ({ body: error ? "failed" : body }));
    expect([status, text]).toEqual([500, "failed"]);
    expect(faults()[0]).toContain("The body of a reply has no form in JSON");
  });
});

it("the bare output of a ready-made result handler is JSON, whatever it is", async () => {
  const toEndpoint = (output: unknown) =>
    problemEndpointsFactory.build({ output: z.any(), handler: () => output as never });
  const server = await start({
    nothing: toEndpoint(null),
    bytes: toEndpoint(Buffer.from("hi")),
    blob: toEndpoint(new Blob(["hi"])),
  });
  const texts = ["/nothing", "/bytes", "/blob"].map(async (path) => (await server.send(path)).text);
  expect(await Promise.all(texts)).toEqual(["null", '{"type":"Buffer","data":[104,105]}', "{}"]);
});
