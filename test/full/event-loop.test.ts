import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createServer, defaultEndpointsFactory as factory } from "sallyport";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { report, sleep } from "./harness.ts";

const numbers = factory.build({
  method: ["get", "post"],
  input: z.object({ list: z.array(z.object({ n: z.number() })) }),
  handler: () => ({}),
});

const pieces = factory.build({ input: z.looseObject({}), handler: () => ({}) });

let port = 0;
let close = async (): Promise<void> => undefined;
beforeAll(async () => {
  const server = await createServer(
    { http: { listen: { port: 0, host: "127.0.0.1" } }, cors: false, logger: { level: "silent" } },
    { numbers, ":a-:b": { ":c-:d-:e": pieces } },
  );
  const address = server.servers[0]?.address() as AddressInfo;
  ({ port } = address);
  ({ close } = server);
});
afterAll(() => close());

const send = (path: string, type?: string, body?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        ...{ host: "127.0.0.1", port, path, agent: false },
        ...(body !== undefined && { method: "POST", headers: { "content-type": type } }),
      },
      (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0));
      },
    );
    request.on("error", reject).end(body);
  });

const json = "application/json";
const form = "application/x-www-form-urlencoded";

// test/http/request/worst-requests.test.ts counts the work for these requests; this test measures the time
test.each<[string, string, string?, string?]>([
  ["a deep body", "/numbers", json, "[".repeat(500_000)],
  ["nested objects", "/numbers", json, `${'{"a":'.repeat(170_000)}1${"}".repeat(170_000)}`],
  ["many wrong elements", "/numbers", json, `{"list":[${"1,".repeat(500_000)}1]}`],
  ["many wrong objects", "/numbers", json, `{"list":[${"{},".repeat(340_000)}{}]}`],
  [
    ...(["many keys", "/numbers", json] as const),
    `{${Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join()}}`,
  ],
  ["many escapes", "/numbers", json, `{"list":"${String.raw`\u005f`.repeat(170_000)}"}`],
  ["many form fields", "/numbers", form, "a=1&".repeat(260_000)],
  ["a long form field", "/numbers", form, `a=${"%41".repeat(340_000)}`],
  ["a long path", `/${"a-".repeat(2000)}/${"-".repeat(4000)}`],
  ["a long query", `/a-b/c-d-e?${"a&".repeat(4000)}`],
])("S7: the event loop is never stalled for long by %s", async (name, path, type, body) => {
  await send("/numbers", json, '{"list":[]}');
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  expect([200, 400, 404, 413]).toContain(await send(path, type, body));
  await sleep(20);
  delay.disable();
  const longest = delay.max / 1e6;
  report(`${name}: ${longest.toFixed(0)} ms, this client included`);
  // on an idle machine, the longest stall takes 10 to 100 ms
  expect(longest).toBeLessThan(1000);
});
