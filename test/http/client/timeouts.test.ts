import { defaultEndpointsFactory as factory } from "sallyport";
import { createClient } from "sallyport/client";
import { expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const slow = factory.build({
  output: z.object({}),
  handler: async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return {};
  },
});

test.each([Infinity, 2 ** 31, 0])("a timeout of %d means no limit", async (timeout) => {
  const { port } = await start({ slow });
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = createClient<{ slow: typeof slow }>({ baseUrl, timeout: 1 });
  expect(await client.provide("get /slow", {}, { timeout })).toEqual({
    status: "success",
    data: {},
  });
});
