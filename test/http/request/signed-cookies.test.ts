import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { attachRouting, defaultEndpointsFactory as factory, type CookieOptions } from "sallyport";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { send, start, successEnvelope, type TestServer } from "../harness.ts";

const setOne = factory.build({
  input: z.object({ name: z.string(), value: z.string() }),
  handler: async ({ input: { name, value }, response }) => {
    response.cookie(name, value, { signed: true, httpOnly: true });
    response.cookie("plain", "1");
    return {};
  },
});
const read = factory.build({ input: z.looseObject({}), handler: async ({ input }) => input });

const startWith = (cookies: CookieOptions): Promise<TestServer> =>
  start({ set: setOne, read }, { cookies, inputSources: { get: ["query", "signedCookies"] } });

/** Returns the name and the value of the cookie that a server sets, as a pair. */
const setBy = async (server: TestServer, name: string, value: string): Promise<string> => {
  const { headers } = await server.send(`/set?${new URLSearchParams({ name, value }).toString()}`);
  const [signed = "", plain] = headers["set-cookie"] ?? [];
  expect([signed.includes("; HttpOnly"), plain]).toEqual([true, "plain=1; Path=/"]);
  return signed.split(";")[0] ?? "";
};

const readBy = async (server: TestServer, ...pairs: readonly string[]): Promise<unknown> =>
  (await server.send("/read", { headers: { cookie: pairs.join("; ") } })).json();

/** Signs a cookie value in the same way as Express and `cookie-parser`. */
const signPlainly = (name: string, value: string, secret = "secret"): string => {
  const signature = createHmac("sha256", secret).update(value).digest("base64").replace("=", "");
  return `${name}=${encodeURIComponent(`s:${value}.${signature}`)}`;
};

const old = signPlainly("user", "ada");

describe("a signed cookie", () => {
  test.each(["ada", "a.b.c", "ä; =%", "j:{}", ""])(
    "is read with the value that was set: %j",
    async (value) => {
      const server = await startWith({ secret: "secret" });
      const pair = await setBy(server, "user", value);
      expect(await readBy(server, pair)).toEqual(successEnvelope({ user: value }));
    },
  );

  test("is dropped under another name", async () => {
    const server = await startWith({ secret: "secret" });
    const pair = await setBy(server, "user", "ada");
    expect(await readBy(server, pair.replace("user", "admin"))).toEqual(successEnvelope({}));
    const inValue = await setBy(server, "note", "user=ada");
    const [, signature = ""] = decodeURIComponent(inValue).split("ada.");
    expect(await readBy(server, `user=s%3Aada.${signature}`)).toEqual(successEnvelope({}));
  });

  test("whose signature does not include its name is not accepted under another name", async () => {
    const server = await startWith({ secret: "secret" });
    const [, signature = ""] = signPlainly("note", "user=ada").split("ada.");
    expect(await readBy(server, `user=s%3Aada.${signature}`)).toEqual(successEnvelope({}));
  });

  test.each<[CookieOptions["nameBinding"], object]>([
    [undefined, { user: "ada" }],
    ["transition", { user: "ada" }],
    ["required", {}],
    ["off", { user: "ada" }],
  ])(
    "whose signature does not include its name, with nameBinding %j, gives the input %j",
    async (nameBinding, input) => {
      const server = await startWith({ secret: "secret", nameBinding });
      expect(await readBy(server, old)).toEqual(successEnvelope(input));
      const pair = await setBy(server, "user", "ada");
      expect(pair === old).toBe(nameBinding === "off");
      expect(await readBy(server, pair)).toEqual(successEnvelope({ user: "ada" }));
    },
  );

  test("stays valid while its secret is still listed after a new one", async () => {
    const before = await startWith({ secret: "secret", nameBinding: "required" });
    const pair = await setBy(before, "user", "ada");
    const after = await startWith({ secret: ["new", "secret"], nameBinding: "required" });
    expect(await readBy(after, pair)).toEqual(successEnvelope({ user: "ada" }));
    const renewed = await setBy(after, "user", "ada");
    expect(await readBy(before, renewed)).toEqual(successEnvelope({}));
  });

  test("is bound to its name on a user's own application as well", async () => {
    const app = express();
    const inputSources = { get: ["query", "signedCookies"] } as const;
    attachRouting(
      {
        app,
        cors: false,
        logger: { level: "silent" },
        cookies: { secret: "secret" },
        inputSources,
      },
      { set: setOne, read },
    );
    const server = app.listen(0);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const set = await send(port, "/set?name=user&value=ada");
    const [pair = ""] = set.headers["set-cookie"]?.[0]?.split(";") ?? [];
    const readAs = async (cookie: string): Promise<unknown> =>
      (await send(port, "/read", { headers: { cookie } })).json();
    expect(await readAs(pair)).toEqual(successEnvelope({ user: "ada" }));
    expect(await readAs(pair.replace("user", "admin"))).toEqual(successEnvelope({}));
  });
});
