import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseEncoding } from "./accept-encoding.ts";

const supported = ["zstd", "br", "gzip", "deflate"];

describe("chooseEncoding", () => {
  test.each([
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["deflate, gzip", "gzip"],
    ["GZip", "gzip"],
    ["x-gzip", "gzip"],
    ["X-GZIP;Q=0.5, deflate;q=0.4", "gzip"],
    ["gzip;q=0.5, deflate", "deflate"],
    ["gzip ; q=0.5 , br\t;\tq=0.501", "br"],
    ["gzip;q=1.000, br;q=0.999", "gzip"],
    ["gzip;q=1., br;q=0.", "gzip"],
    ["br;q=1, gzip", "br"],
    ["*", "zstd"],
    ["*;q=0.1", "zstd"],
    ["zstd;q=0, *", "br"],
    ["gzip;q=0.5, *;q=0.8", "zstd"],
    ["zstd;q=0, br;q=0, *;q=0.2, gzip;q=0.3", "gzip"],
    ["gzip;q=0.001", "gzip"],
    ["gzip, identity", "gzip"],
    ["gzip;q=0.5, identity;q=0.5", "gzip"],
    ["gzip;q=0.5, identity;q=0.4", "gzip"],
    ["gzip;q=0.5, identity;q=0", "gzip"],
    ["br;q=0.5, gzip;q=0.2, identity;q=0.4", "br"],
    ["*;q=0, gzip", "gzip"],
    ["unknown, ,, gzip;q=0.2", "gzip"],
  ])("for %j chooses %s", (header, expected) => {
    expect(chooseEncoding(header, supported)).toBe(expected);
  });

  test.each([
    [undefined],
    [""],
    [","],
    ["identity"],
    ["unknown"],
    ["gzip;q=0"],
    ["gzip;q=0.000"],
    ["*;q=0"],
    ["identity;q=0"],
    ["gzip;q=0.5, identity;q=0.6"],
    ["gzip;q=0.5, identity"],
    ["gzip;q=0.2, zstd;q=0, br;q=0, deflate;q=0, *;q=0.5"],
    ["gzip, gzip;q=0"],
  ])("leaves the response unencoded for %j", (header) => {
    expect(chooseEncoding(header, supported)).toBeUndefined();
  });

  test.each([
    "gzip;q=2",
    "gzip;q=1.001",
    "gzip;q=0.1234",
    "gzip;q=-1",
    "gzip;q=.5",
    "gzip;q=",
    "gzip;q",
    "gzip;",
    "gzip;level=1",
    "gzip;q=1;q=1",
    "gzip;q=0x1",
    "gzip;q=1e0",
    "gzip br",
    "gzip=1",
  ])("ignores only the malformed member %j", (member) => {
    expect(chooseEncoding(member, supported)).toBeUndefined();
    expect(chooseEncoding(`${member}, deflate;q=0.001`, supported)).toBe("deflate");
  });

  test("chooses only supported encodings, in the server's order of preference", () => {
    expect(chooseEncoding("br, gzip, zstd", ["gzip", "br"])).toBe("gzip");
    expect(chooseEncoding("*", ["deflate"])).toBe("deflate");
    expect(chooseEncoding("br", ["gzip"])).toBeUndefined();
    expect(chooseEncoding("constructor, __proto__", ["gzip"])).toBeUndefined();
    expect(chooseEncoding("*", [])).toBeUndefined();
  });

  test("chooses a supported and acceptable encoding for any header field", () => {
    const member = fc.tuple(
      fc.constantFrom(...supported, "identity", "*", "x-gzip", "unknown"),
      fc.constantFrom("", ";q=0", ";q=0.5", ";q=1", ";q=9"),
    );
    const field = fc
      .array(
        fc.oneof(
          member.map(([coding, weight]) => coding + weight),
          fc.string(),
        ),
      )
      .map((members) => members.join(","));
    fc.assert(
      fc.property(field, (header) => {
        const chosen = chooseEncoding(header, supported);
        if (chosen === undefined) return;
        expect(supported).toContain(chosen);
        expect(header.includes("*") || header.toLowerCase().includes(chosen)).toBe(true);
      }),
    );
  });

  // anything but linear time would exceed the test's timeout
  test("takes linear time for hostile fields", () => {
    for (const part of [",", ";", " ", "gzip;q=0.", "q=0", "\t;", "*,", "a ", "gzip;q=1;"])
      expect([undefined, ...supported]).toContain(
        chooseEncoding(`${part.repeat(100_000)}x`, supported),
      );
  });
});
