import { expect, test } from "vitest";
import { toQueryText } from "./query.ts";

test.each([
  ["/a", ""],
  ["/a?", ""],
  ["/a?b=1", "b=1"],
  ["?b=1", "b=1"],
  ["/a?b=1?c", "b=1?c"],
  ["/a?b=1#c", "b=1"],
  ["#a", ""],
  ["#?a", ""],
  ["/a#b?c", ""],
])("the query string of %s is %j", (url, query) => {
  expect(toQueryText(url)).toBe(query);
});
