import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNormal, normalisePath } from "./canonical-path.ts";

const normalise = (url: string): string =>
  normalisePath({ url, headers: {} } as unknown as IncomingMessage);

describe("normalisePath", () => {
  test.each([
    ["/v1/%61dmin", "/v1/admin"],
    ["/%7Ejoe/%2d%5f%2e", "/~joe/-_."],
    ["/%40me/a%3ab%2Cc", "/@me/a:b,c"],
    ["/a%2fb%5c%c3%bc", "/a%2Fb%5C%C3%BC"],
    ["/a%20b?q=%61", "/a%20b?q=%61"],
    ["/%61?q=%61", "/a?q=%61"],
    ["/o%27n/a%7cb%5ec%60d%5be%5d", "/o'n/a|b^c`d[e]"],
    ['/<a>"\\{b}?<', "/%3Ca%3E%22%5C%7Bb%7D?<"],
    ["/%3ca%3E", "/%3Ca%3E"],
    ["/%2561", "/%2561"],
    ["http://a;b/v1/%61dmin?q=%61", "/v1/admin?q=%61"],
    ["HTTPS://[::1]:80", "/"],
    ["http://a?q", "/?q"],
  ])("normalises %s to %s", (given, expected) => {
    expect(normalise(given)).toBe(expected);
  });

  test.each(["/%61%", "/%61%zz", "/%%361", "*", "x", "http://", "http://u@a/", "http://a,b/"])(
    "leaves the malformed target %s unchanged",
    (path) => {
      expect(normalise(path)).toBe(path);
    },
  );

  const segment = fc.string({
    unit: fc.constantFrom(..."aZ09-._~!$&'()*+,;=:@|^`[]".split("")),
    minLength: 1,
    maxLength: 8,
  });
  test("decodes each character that needs no encoding, however it was encoded", () => {
    const spelled = fc.tuple(segment, fc.infiniteStream(fc.constantFrom(0, 1, 2)));
    fc.assert(
      fc.property(spelled, ([plain, ways]) => {
        const sent = plain.split("").map((character) => {
          const hex = character.charCodeAt(0).toString(16);
          const { value: way } = ways.next() as { value: number };
          return way === 0 ? character : `%${way === 1 ? hex : hex.toUpperCase()}`;
        });
        expect(normalise(`/x/${sent.join("")}`)).toBe(`/x/${plain}`);
      }),
    );
  });

  test("is idempotent, and leaves the decoded segments as they were", () => {
    const path = fc.string({ unit: fc.constantFrom(..."%%%2567af/AFx".split("")), maxLength: 16 });
    fc.assert(
      fc.property(path, (text) => {
        const once = normalise(`/${text}`);
        expect(normalise(once)).toBe(once);
        const split = (one: string): string[] => one.split("/").map((part) => decode(part));
        expect(split(once)).toEqual(split(`/${text}`));
      }),
    );
  });

  test("leaves one spelling of each path, which counts as normal", () => {
    const path = fc.string({ unit: fc.constantFrom(...'%%2756cCaf/|^<"\\'.split("")) });
    fc.assert(
      fc.property(path, (text) => {
        const url = `/${text}`;
        expect(isNormal(normalise(url))).toBe(true);
        expect(isNormal(url) && normalise(url) !== url).toBe(false);
      }),
    );
  });

  test("normalises `originalUrl` too, unless it differs from `url`", () => {
    const request = { url: "/%61", originalUrl: "/%61" } as unknown as IncomingMessage;
    normalisePath(request);
    expect(request).toEqual({ url: "/a", originalUrl: "/a" });
    const mounted = { url: "/%61", originalUrl: "/%62/%61" } as unknown as IncomingMessage;
    normalisePath(mounted);
    expect(mounted).toEqual({ url: "/a", originalUrl: "/%62/%61" });
  });
});

/** Decodes a part of a path; returns "malformed" if the part cannot be decoded. */
const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return "malformed";
  }
};
