import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultEndpointsFactory, ServeStatic, type ServeStaticOptions } from "sallyport";
import { afterAll, describe, expect, test } from "vitest";
import { errorEnvelope, start, type Sent } from "../harness.ts";

const root = mkdtempSync(join(tmpdir(), "static-headers-"));
afterAll(() => rmSync(root, { recursive: true }));
writeFileSync(join(root, "price.txt"), "price");

const setHeaders: ServeStaticOptions["setHeaders"] = (response) => {
  response.setHeader("X-Name", "prix: 5 €");
};
const message = 'Invalid character in header content ["X-Name"]';

describe("a function `setHeaders` of static files that throws", () => {
  test.each<[string, Sent]>([
    ["GET", {}],
    ["a part of the file", { headers: { range: "bytes=0-1" } }],
    ["a conditional GET", { headers: { "if-modified-since": new Date(2 ** 41).toUTCString() } }],
    ["a condition that is not met", { headers: { "if-match": '"other"' } }],
  ])("causes a 500 and one line in the log: %s", async (_what, sent) => {
    const server = await start({ files: new ServeStatic(root, { setHeaders }) });
    const answer = await server.send("/files/price.txt", sent);
    expect([answer.status, answer.json()]).toEqual([500, errorEnvelope(message)]);
    expect(answer.headers).toMatchObject({ "cache-control": "no-store" });
    expect(answer.headers).not.toHaveProperty("etag");
    expect(server.linesOf("error")).toHaveLength(1);
    expect((await server.send("/files/none.txt")).status).toBe(404);
  });

  test("causes a 500 for HEAD", async () => {
    const server = await start({ files: new ServeStatic(root, { setHeaders }) });
    expect((await server.send("/files/price.txt", { method: "HEAD" })).status).toBe(500);
    expect(server.linesOf("error")).toHaveLength(1);
  });

  test("causes a 500 with guards, with an index file, and without falling through", async () => {
    const server = await start({
      guarded: new ServeStatic(root, { setHeaders }, defaultEndpointsFactory),
      index: new ServeStatic(root, { setHeaders, index: "price.txt" }),
      strict: new ServeStatic(root, { setHeaders, fallthrough: false }),
    });
    for (const path of ["/guarded/price.txt", "/index/", "/strict/price.txt"]) {
      const answer = await server.send(path);
      expect([path, answer.status, answer.json()]).toEqual([path, 500, errorEnvelope(message)]);
    }
  });

  test("causes a 500 if the thrown value is not an error", async () => {
    const files = new ServeStatic(root, {
      setHeaders: () => {
        // oxlint-disable-next-line typescript/only-throw-error -- as user code may do
        throw "no headers";
      },
    });
    const server = await start({ files });
    const answer = await server.send("/files/price.txt");
    expect([answer.status, answer.json()]).toEqual([500, errorEnvelope("no headers")]);
  });
});
