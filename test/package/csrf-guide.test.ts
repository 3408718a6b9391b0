import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGuideFolder, findPort, readFiles, typescript, type GuideFolder } from "./guide.ts";

let folder: GuideFolder;
let port = "";

beforeAll(async () => {
  port = await findPort();
  folder = createGuideFolder(readFiles("docs/cors.md"));
});

afterAll(() => folder.remove());

const send = async (path: string, origin: string, type: string, body: string): Promise<number> => {
  const headers = { origin, "sec-fetch-site": "cross-site", "content-type": type };
  const url = `http://127.0.0.1:${port}${path}`;
  return (await fetch(url, { method: "POST", headers, body })).status;
};

test("the server in docs/cors.md refuses forms from other sites, except those of the payment provider", async () => {
  folder.start([...typescript, "server.ts"], { PORT: port, PAYMENT_SECRET: "a secret" });
  const form = "application/x-www-form-urlencoded";
  const email = "email=ada%40example.com";
  await expect
    .poll(() => send("/email", "https://evil.example", form, email).catch(String), {
      timeout: 20_000,
    })
    .toBe(403);
  const json = '{"email":"ada@example.com"}';
  expect(await send("/email", "https://app.example.com", "application/json", json)).toBe(200);
  expect(await send("/email", "https://app.example.com", form, email)).toBe(415);

  const signature = createHmac("sha256", "a secret").update("17").digest("hex");
  const pay = (order: string) =>
    send("/payments/callback", "null", form, `order=${order}&signature=${signature}`);
  expect([await pay("17"), await pay("18")]).toEqual([200, 401]);
});
