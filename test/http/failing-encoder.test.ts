import { Gzip } from "node:zlib";
import { expect, test, vi } from "vitest";
import { long, open, readAll, send } from "./encoded.ts";
import { start } from "./harness.ts";

test("a response whose encoder fails is cut off, and the server keeps running", async () => {
  const encode = vi.spyOn(Gzip.prototype, "_transform");
  encode.mockImplementation((_piece, _encoding, done) => done(new Error("out of memory")));
  try {
    const text = send((response) => response.type("text").send(long));
    const ok = send((response) => response.send("ok"));
    const server = await start({ text, ok }, { compression: true });
    const reading = open(server, "/text", "gzip").then(({ response }) => readAll(response));
    await expect(reading).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(encode).toHaveBeenCalled();
    expect((await server.send("/ok")).text).toBe("ok");
  } finally {
    encode.mockRestore();
  }
});
