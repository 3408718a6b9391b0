import type * as encoders from "../../src/server/compression/encoders.ts";
import { Transform } from "node:stream";
import { expect, test, vi } from "vitest";
import { long, open, readAll, send } from "./encoded.ts";
import { start } from "./harness.ts";

vi.mock("../../src/server/compression/encoders.ts", async (importOriginal) => ({
  ...(await importOriginal<typeof encoders>()),
  createEncoder: () =>
    new Transform({ transform: (_piece, _encoding, done) => done(new Error("out of memory")) }),
}));

test("a reply whose encoder fails is cut, and the server lives on", async () => {
  const text = send((response) => response.type("text").send(long));
  const ok = send((response) => response.send("ok"));
  const server = await start({ text, ok }, { compression: true });
  const reading = open(server, "/text", "gzip").then(({ response }) => readAll(response));
  await expect(reading).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await server.send("/ok")).text).toBe("ok");
});
