import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultEndpointsFactory as factory, ServeStatic, type CorsFunction } from "sallyport";
import { afterAll, describe, expect, test, vi } from "vitest";
import { start } from "../harness.ts";

const root = mkdtempSync(join(tmpdir(), "cors-statics-"));
afterAll(() => rmSync(root, { recursive: true }));
writeFileSync(join(root, "a.txt"), "a");

const files = new ServeStatic(root);
const preflight = (method: string) => ({
  method: "OPTIONS",
  headers: { "access-control-request-method": method, "access-control-request-headers": "x-a" },
});
const origin = "access-control-allow-origin";

describe("a preflight for static files", () => {
  const beforeRouting = vi.fn<() => void>();
  test.each([
    ["without hooks", {}],
    ["with hooks", { beforeRouting }],
  ])("is answered, %s", async (_with, hooks) => {
    const server = await start({ files }, { cors: true, ...hooks });
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, text } = await server.send("/files/a.txt", preflight(method));
      expect([method, status, text, headers[origin]]).toEqual([method, 200, "", "*"]);
      expect(headers.allow).toBe("GET, HEAD, OPTIONS");
    }
  });

  test("has the headers that a cors function returns without an endpoint", async () => {
    const cors = vi.fn<CorsFunction>(() => ({ "Access-Control-Allow-Origin": "https://a" }));
    const server = await start({ files }, { cors });
    const { status, headers } = await server.send("/files/a.txt", preflight("GET"));
    expect([status, headers[origin]]).toEqual([200, "https://a"]);
    expect(cors).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ endpoint: undefined }));
  });

  test("is a 404 for another method, for a path that is not below static files, and without `cors`", async () => {
    const server = await start({ files }, { cors: true });
    expect((await server.send("/files/a.txt", preflight("POST"))).status).toBe(404);
    expect((await server.send("/other/a.txt", preflight("GET"))).status).toBe(404);
    const without = await start({ files });
    expect((await without.send("/files/a.txt", preflight("GET"))).status).toBe(404);
  });
});

test("a response has only the headers of the last call of a cors function, if no file is found", async () => {
  const upload = factory.build({ method: "post", handler: async () => ({}) });
  const cors: CorsFunction = ({ endpoint, request }) =>
    endpoint || request.res?.locals["asked"]
      ? {}
      : (Object.assign(request.res?.locals ?? {}, { asked: true }),
        { "Access-Control-Allow-Origin": "https://a", "Access-Control-Allow-Credentials": "true" });
  const server = await start({ files, "post files/upload": upload }, { cors });
  for (const [path, status] of [
    ["/files/upload", 405],
    ["/files/none", 404],
  ] as const) {
    const answer = await server.send(path);
    expect([path, answer.status]).toEqual([path, status]);
    expect(answer.headers).not.toHaveProperty(origin);
    expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");
  }
  expect((await server.send("/files/a.txt")).headers[origin]).toBe("https://a");
});
