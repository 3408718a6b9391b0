import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory } from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { expect, test } from "vitest";
import { start } from "../harness.ts";

test.each([
  [401, "WWW-Authenticate", 'Bearer realm="a"'],
  [405, "Allow", "PUT"],
  [407, "Proxy-Authenticate", "Basic"],
  [415, "Accept", "text/csv"],
  [415, "Accept-Encoding", "gzip"],
  [416, "Content-Range", "bytes */5"],
  [426, "Upgrade", "h2c"],
  [503, "Retry-After", "5"],
])("a replayed %i has the field %s that belongs to it", async (status, name, value) => {
  const a = factory
    .addMiddleware(idempotency({ store: memoryStore(), scope: () => "all", keepErrors: true }))
    .build({
      method: "post",
      handler: () => {
        throw createHttpError(status, "no", { headers: { [name]: value } });
      },
    });
  const server = await start({ a });
  const send = () => server.send("/a", { method: "POST", headers: { "idempotency-key": "k" } });
  expect((await send()).headers).toHaveProperty(name.toLowerCase(), value);
  expect((await send()).headers).toMatchObject({
    "idempotency-replayed": "true",
    [name.toLowerCase()]: value,
    ...(name === "Upgrade" && { connection: "Upgrade" }),
  });
});
