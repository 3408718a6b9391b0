import { attachRouting, ConfigError, defaultEndpointsFactory, type ServerConfig } from "sallyport";
import { rateLimit } from "sallyport/rate-limit";
import { testServer } from "sallyport/testing";
import express from "express";
import { expect, test } from "vitest";
import { start } from "../harness.ts";

const where = defaultEndpointsFactory.build({
  handler: ({ request }) => ({ ip: request.ip, protocol: request.protocol }),
});

const forwarded = { "x-forwarded-for": "1.1.1.1, 2.2.2.2", "x-forwarded-proto": "https" };

test.each([
  [undefined, "127.0.0.1", "http"],
  [false, "127.0.0.1", "http"],
  [0, "127.0.0.1", "http"],
  [1, "2.2.2.2", "https"],
  [2, "1.1.1.1", "https"],
  ["loopback", "2.2.2.2", "https"],
  ["loopback, 2.2.2.0/24", "1.1.1.1", "https"],
  [["127.0.0.1", "2.2.2.0/255.255.255.0"], "1.1.1.1", "https"],
  [["10.0.0.0/8", "fe80::/10"], "127.0.0.1", "http"],
  [(_address: string, hop: number) => hop === 0, "2.2.2.2", "https"],
] as const)(
  "with `trustProxy: %j`, the client's address is %s",
  async (trustProxy, ip, protocol) => {
    const server = await start({ where }, { trustProxy });
    expect((await server.send("/where", { headers: forwarded })).json()).toMatchObject({
      data: { ip, protocol },
    });
  },
);

test("the option is set before the hooks, which may change it, and in tests, too", async () => {
  let before: unknown;
  const { fetch } = await testServer(
    {
      trustProxy: 1,
      beforeRouting: ({ app }) => {
        before = app.get("trust proxy");
        app.set("trust proxy", 2);
      },
    },
    { where },
  );
  expect(before).toBe(1);
  const answer = await fetch("/where", { headers: forwarded });
  expect(await answer.json()).toMatchObject({ data: { ip: "1.1.1.1" } });
});

test("`trustProxy: true` is refused with the reason and the fix", async () => {
  const trustProxy = true as unknown as ServerConfig["trustProxy"];
  await expect(start({ where }, { trustProxy })).rejects.toThrow(
    "The `trustProxy` option must be the number of your proxies, their addresses or subnets, or a function; got true, with which clients choose their address.",
  );
});

test("an address that Express does not accept is refused at startup", async () => {
  const refused = start({ where }, { trustProxy: ["loopback", "10.0.0.0/33"] });
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toMatchObject({
    code: "SLP_CONFIG_VALUE",
    message:
      'The `trustProxy` option must have addresses or subnets, such as "10.0.0.0/8", or the names "loopback", "linklocal" and "uniquelocal"; got an invalid range on address: 10.0.0.0/33.',
  });
});

test("a rate limit counts by the address that the option makes", async () => {
  const limited = defaultEndpointsFactory
    .addMiddleware(rateLimit({ limit: 1 }))
    .build({ handler: () => ({}) });
  const server = await start({ limited }, { trustProxy: 1 });
  const from = async (address: string): Promise<number> =>
    (await server.send("/limited", { headers: { "x-forwarded-for": address } })).status;
  expect([await from("1.1.1.1"), await from("2.2.2.2"), await from("1.1.1.1")]).toEqual([
    200, 200, 429,
  ]);
});

test("your own application has its own setting", () => {
  const config = { app: express(), cors: false, trustProxy: 1 };
  expect(() => attachRouting(config, { where })).toThrow(
    "There is no option `trustProxy` of attachRouting; it is an option of createServer.",
  );
});
