import type { AddressInfo, Server } from "node:net";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
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
