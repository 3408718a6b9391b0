import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { toLoggedPath } from "./log-fault.ts";

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
])("the target %j is logged as %j", (url, path) => {
  expect(toLoggedPath({ url } as IncomingMessage)).toBe(path);
});
