import { createHmac } from "node:crypto";
import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "../harness.ts";

describe("cookies of a request", () => {
  const endpoint = factory.build({
    input: z.looseObject({}),
    handler: async ({ input, response }) => {
      if (input["set"] !== undefined) response.cookie("user", "ada", { signed: true });
      return input;
    },
  });

  test("are part of the input if they are a source, and signed cookies only if the signature is valid", async () => {
    const server = await start(
      { a: endpoint },
      {
        cookies: { secret: ["new", "old"] },
        inputSources: { get: ["query", "cookies", "signedCookies"] },
      },
    );
    const set = await server.send("/a?set=1");
    const [signed = ""] = set.headers["set-cookie"] ?? [];
    const [pair = ""] = signed.split(";");
    const cookie = `theme=dark; ${pair}`;
    const right = await server.send("/a", { headers: { cookie } });
    expect(right.json()).toEqual(successEnvelope({ theme: "dark", user: "ada" }));
    const forged = await server.send("/a", { headers: { cookie: cookie.replace("ada", "eve") } });
    expect(forged.json()).toEqual(successEnvelope({ theme: "dark" }));
  });

  /** Returns a cookie that is signed as Express signs cookies. */
  const sign = (value: string, secret: string): string => {
    const digest = createHmac("sha256", secret).update(value).digest("base64").replace(/=+$/, "");
    return `user=${encodeURIComponent(`s:${value}.${digest}`)}`;
  };
  test.each([
    ["with a replaced secret", "ada", "old", { user: "ada" }],
    ["with dots in their value", "ada.lovelace", "new", { user: "ada.lovelace" }],
    ["with an unknown secret", "ada", "other", {}],
    ["with an empty signature", "ada", "", {}],
  ])(
    "that were signed %s are accepted only if the signature is valid",
    async (_how, value, secret, input) => {
      const server = await start(
        { a: endpoint },
        { cookies: { secret: ["new", "old"] }, inputSources: { get: ["signedCookies"] } },
      );
      const cookie = secret === "" ? `user=s:${value}.` : sign(value, secret);
      expect((await server.send("/a", { headers: { cookie } })).json()).toEqual(
        successEnvelope(input),
      );
    },
  );

  test("are not parsed unless parsing is enabled, and never replace a prototype", async () => {
    const inputSources = { get: ["cookies"] } as const;
    const cookie = "__proto__=x; constructor=y; a=%zz";
    const off = await start({ a: endpoint }, { inputSources });
    expect((await off.send("/a", { headers: { cookie } })).json()).toEqual(successEnvelope({}));
    const on = await start({ a: endpoint }, { inputSources, cookies: true });
    expect((await on.send("/a", { headers: { cookie } })).json()).toEqual(
      successEnvelope({ constructor: "y", a: "%zz" }),
    );
  });
});
