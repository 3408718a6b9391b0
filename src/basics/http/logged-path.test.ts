import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { toLoggedPath } from "./logged-path.ts";

test.each([
  ["/a/b?key=SECRET", "/a/b"],
  ["/a/", "/a"],
  ["/", "/"],
  ["", "/"],
  ["*", "*"],
  ["/a@b//c", "/a@b//c"],
  ["//host/a", "//host/a"],
  ["http://u:SECRET@host/a", "/a"],
  ["HTTPS://u:SECRET@host", "/"],
  ["ftp://u:SECRET@host/a", "/a"],
  ["ftp:u:SECRET@host/a", "/a"],
  ["u:SECRET@host/a", "/a"],
  ["http:\\\\u:SECRET@host/a", "/a"],
  ["http:/\\u:SECRET@host/a", "/a"],
  ["//u:SECRET@host/a", "//host/a"],
  ["//u:SECR@ET@host/a", "//host/a"],
  ["///u:SECRET@host/a", "///host/a"],
  ["/proxy/https://u:SECRET@host/a", "/proxy/https://host/a"],
  ["/proxy/https:/u:SECRET@host/a", "/proxy/https:/host/a"],
  ["/proxy/https:/SECRET@host/a", "/proxy/https:/host/a"],
  ["/proxy/https:\\\\SECRET@host", "/proxy/host"],
  ["/proxy/https:%2F%2Fu:SECRET@host%2Fa", "/proxy/host%2Fa"],
  ["/proxy/https%3A%2F%2FSECRET%40host", "/proxy/host"],
  ["/proxy/https%3a/SECRET%40host", "/proxy/https:/host"],
  ["/proxy/u:SECRET@host", "/proxy/host"],
  ["/users/ada@example.com/x:y", "/users/ada@example.com/x:y"],
])("the target %j is logged as %j", (url, path) => {
  expect(toLoggedPath({ url } as IncomingMessage)).toBe(path);
});
