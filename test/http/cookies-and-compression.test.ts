import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "./harness.ts";

describe("cookies", () => {
  const endpoint = factory.build({
    input: z.looseObject({}),
    handler: async ({ input, response }) => {
      if (input["set"] !== undefined) response.cookie("user", "ada", { signed: true });
      return input;
    },
  });

  test("join the input where they are a source, signed ones with a right signature only", async () => {
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

  test("are left alone unless they are on, and never make a prototype", async () => {
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

describe("compression", () => {
  const text = factory.build({
    input: z.object({ length: z.coerce.number(), as: z.string().optional() }),
    handler: async ({ input, response }) => {
      if (input.as === "cookie") response.cookie("a", "b");
      if (input.as === "no-transform") response.set("Cache-Control", "no-transform");
      return { text: "x".repeat(input.length) };
    },
  });

  test("compresses what is large enough, with Vary", async () => {
    const server = await start({ text }, { compression: true });
    const headers = { "accept-encoding": "gzip" };
    const large = await server.send("/text?length=5000", { headers });
    expect(large.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect((await server.send("/text?length=5", { headers })).headers).not.toHaveProperty(
      "content-encoding",
    );
    const plain = await server.send("/text?length=5000");
    expect(plain.headers).toMatchObject({ vary: "Accept-Encoding" });
    expect(plain.json()).toEqual(successEnvelope({ text: "x".repeat(5000) }));
  });

  test("gives back what was compressed", async () => {
    const server = await start({ text }, { compression: { threshold: 0 } });
    const answer = await fetch(`http://127.0.0.1:${server.port}/text?length=20`, {
      headers: { "accept-encoding": "gzip" },
    });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(await answer.json()).toEqual(successEnvelope({ text: "x".repeat(20) }));
  });

  test.each(["cookie", "no-transform"])("R11: leaves a response with %s alone", async (as) => {
    const server = await start({ text }, { compression: true });
    const headers = { "accept-encoding": "gzip" };
    const answer = await server.send(`/text?length=5000&as=${as}`, { headers });
    expect(answer.headers).not.toHaveProperty("content-encoding");
    expect(answer.json()).toEqual(successEnvelope({ text: "x".repeat(5000) }));
  });
});
