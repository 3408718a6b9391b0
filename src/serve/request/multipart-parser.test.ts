import { expect, test, vi } from "vitest";
import { parseParts } from "./multipart-parser.ts";

test("a body can still fail while its last file is being written", async () => {
  let fail: (error: unknown) => void = vi.fn();
  const parsing = parseParts(
    "multipart/form-data; boundary=b",
    {},
    {},
    async () => {
      await Promise.resolve();
      fail(new Error("The client has left"));
    },
    (parser, reject) => {
      fail = reject;
      parser.end('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--');
    },
  );
  await expect(parsing).rejects.toThrow("The client has left");
});
