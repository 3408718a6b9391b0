import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const second = 1_700_000_000_000;
const date = new Date(second).toUTCString();

describe("A read with a version", () => {
  test.each([
    [200, {}],
    [304, { "If-Modified-Since": date }],
    [304, { "If-Modified-Since": "Tuesday, 14-Nov-23 22:13:20 GMT" }],
    [304, { "If-Modified-Since": "Tue Nov 14 22:13:20 2023" }],
    [200, { "If-Modified-Since": new Date(second - 1000).toUTCString() }],
    [200, { "If-Modified-Since": date, "If-None-Match": '"a"' }],
    [200, { "If-Modified-Since": "May 5, 2099" }],
    [200, { "If-Modified-Since": "Nonsense 2099" }],
    [200, { "If-Modified-Since": "2099-05-05T10:00:00Z" }],
    [200, { "If-Modified-Since": "Tue, 05 May 2099 10:00:00 +0000" }],
    [200, { "If-Modified-Since": "Tue, 31 Feb 2099 10:00:00 GMT" }],
    [200, { "If-Modified-Since": "Tue, 05 Foo 2099 10:00:00 GMT" }],
    [200, { "If-Unmodified-Since": "Apples 1" }],
    [200, { "If-Unmodified-Since": date }],
    [412, { "If-Unmodified-Since": new Date(second - 1000).toUTCString() }],
    [200, { "If-Unmodified-Since": "2000-01-01" }],
    [412, { "If-Match": '"a"', "If-Unmodified-Since": date }],
  ])("that is a date responds with %d to %j", async (status, headers) => {
    const read = factory.build({
      output: z.object({ at: ez.dateOut() }),
      version: async ({ output: { at } }) => new Date(at),
      handler: () => ({ at: new Date(second + 999) }),
    });
    const server = await start({ read });
    const answer = await server.send("/read", { headers });
    expect([answer.status, answer.headers["last-modified"], answer.headers.etag]).toEqual([
      status,
      status === 412 ? undefined : date,
      undefined,
    ]);
  });

  test.each([true, "strong"])(
    "that is a date is judged by the ETag that Express adds with etag: %j, too",
    async (etag) => {
      const at = { value: second };
      const read = factory.build({
        output: z.object({ at: z.number() }),
        version: ({ output: { at } }) => new Date(at),
        handler: () => ({ at: at.value }),
      });
      const server = await start({ read }, { etag: etag as true });
      const { headers } = await server.send("/read");
      const get = async (...names: string[]) => {
        const fields = {
          "If-None-Match": headers.etag ?? "",
          "If-Modified-Since": headers["last-modified"] ?? "",
          "Cache-Control": "no-cache",
        };
        const picked = Object.entries(fields).filter(([name]) => !names.includes(name));
        return (await server.send("/read", { headers: Object.fromEntries(picked) })).status;
      };
      expect(await Promise.all([get(), get("If-Modified-Since"), get("If-None-Match")])).toEqual([
        304, 304, 304,
      ]);
      // another output in the same second: the ETag is the better validator
      at.value = second + 1;
      expect([await get(), await get("If-None-Match")]).toEqual([200, 304]);
      const other = { "If-None-Match": '"a"', "If-Modified-Since": date };
      expect((await server.send("/read", { headers: other })).status).toBe(200);
    },
  );

  test("never sends a date in the future", async () => {
    const read = factory.build({ version: () => new Date("2100-01-01"), handler: () => ({}) });
    const { headers } = await (await start({ read })).send("/read");
    expect(Date.parse(headers["last-modified"] ?? "")).toBeLessThanOrEqual(Date.now());
  });
});
