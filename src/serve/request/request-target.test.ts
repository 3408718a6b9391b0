import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { RequestError } from "../../basics/errors.ts";
import { toCanonicalPath } from "./canonical-path.ts";

const toRequest = (url: string): IncomingMessage =>
  ({ url, headers: { host: "field" } }) as unknown as IncomingMessage;

const codeOf = (url: string): unknown => {
  try {
    return toCanonicalPath(toRequest(url));
  } catch (error) {
    return error instanceof RequestError ? error.code : error;
  }
};

test.each([
  ["/", "/"],
  ["/a", "/a"],
  ["/a/", "/a"],
  ["/a//", "/a//"],
  ["//", "//"],
  ["/a?b", "/a"],
  ["/a/?b/", "/a"],
  ["/a%7c%5E%60%5b%5D", "/a|^`[]"],
  ['/a"<>\\{}', "/a%22%3C%3E%5C%7B%7D"],
  ['/a?"<>{}', "/a"],
  ["/?", "/"],
  ["/%41!~", "/A!~"],
  ["http://a", "/"],
  ["http://a/b/?c", "/b"],
  ["HTTPS://a:1/b", "/b"],
])("%s has the path %s", (url, path) => {
  expect(codeOf(url)).toBe(path);
});

test.each([
  "/a\u0020",
  "/a\u007f",
  "/ä",
  "/a?\u0000",
  "/a#",
  "/a#b?c",
  "/a?b#c",
  "",
  "a",
  "?a",
  "http://",
  "http:///a",
  "ftp://a/b",
])("%j is malformed", (url) => {
  expect(codeOf(url)).toBe("SLP_TARGET_MALFORMED");
});

test("accepts `*`, which stands for the whole server, only with OPTIONS", () => {
  const options = Object.assign(toRequest("*"), { method: "OPTIONS" });
  expect(toCanonicalPath(options)).toBe("*");
  expect(codeOf("*")).toBe("SLP_TARGET_MALFORMED");
});

test("rejects a target of more than 8192 characters", () => {
  expect(codeOf(`/${"a".repeat(8191)}`)).toHaveLength(8192);
  expect(codeOf(`/${"a".repeat(8192)}`)).toBe("SLP_TARGET_TOO_LONG");
});

test("uses the authority of an absolute-form target as the host", () => {
  const request = toRequest("http://target:81/a");
  toCanonicalPath(request);
  expect(request.headers.host).toBe("target:81");
});
